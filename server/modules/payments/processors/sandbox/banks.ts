import { createHash } from 'node:crypto'
import { invalid } from '#platform/kernel/errors'

/** What becomes of a payout to a test bank account. All but the last number are Stripe's. */
export interface TestBank {
  number: string
  failure?: { code: string; message: string }
  /** The failure comes after the payout was paid: the bank returned it. */
  isReturned?: true
}

const fails = (number: string, code: string, message: string): TestBank => ({
  number,
  failure: { code, message },
})

const testBanks: readonly TestBank[] = [
  { number: '000123456789' },
  fails('000111111116', 'no_account', 'The bank account details on file are probably incorrect.'),
  fails('000111111113', 'account_closed', 'The bank account has been closed.'),
  fails('000222222227', 'insufficient_funds', 'The account has insufficient funds to cover the payout.'),
  fails('000333333335', 'debit_not_authorized', 'Debit transactions are not approved on the bank account.'),
  fails('000444444440', 'invalid_currency', 'The bank was unable to process this payout in its currency.'),
  {
    ...fails('000999999991', 'could_not_process', 'The bank returned the payout after it was paid.'),
    isReturned: true,
  },
]

/** ValidationError for a number that is not a test bank account. */
export function bankOf(accountNumber: string): TestBank {
  const wanted = accountNumber.replaceAll(/[\s-]/g, '')
  const bank = testBanks.find(({ number }) => number === wanted)
  if (!bank)
    throw invalid(
      `accountNumber must be a test bank account: ${testBanks.map(({ number }) => number).join(', ')}`,
    )
  return bank
}

/** What the identity check of a test id number finds. */
interface TestIdentity {
  idNumber: string
  result: 'verified' | 'pending' | 'restricted' | 'rejected'
}

const testIdentities: readonly TestIdentity[] = [
  { idNumber: '000000000', result: 'verified' },
  { idNumber: '222222222', result: 'pending' },
  { idNumber: '111111111', result: 'restricted' },
  { idNumber: '999999999', result: 'rejected' },
]

/** ValidationError for a number that is not a test identity. */
export function identityOf(idNumber: string): TestIdentity['result'] {
  const wanted = idNumber.replaceAll(/[\s-]/g, '')
  const identity = testIdentities.find(each => each.idNumber === wanted)
  if (!identity)
    throw invalid(
      `idNumber must be a test id number: ${testIdentities.map(each => `${each.idNumber} (${each.result})`).join(', ')}`,
    )
  return identity.result
}

/** What the simulated processor calls the card or bank account of a number; it is computed and never stored. */
export const fingerprintOf = (number: string): string =>
  createHash('sha256').update(number).digest('base64url').slice(0, 16)
