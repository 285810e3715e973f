import { accounts, post } from '#ledger'
import { accountById } from '#identity'
import { chargebacks } from '#payments'
import { creditAccount, cryptoWallets, lockToCredit } from '#wallets'
import { requireUnboundCredential, type RequestContext } from '#platform/http/principal'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import { formatMoney, type Asset } from '#platform/kernel/money'
import { part } from '#platform/kernel/sql'
import { AFFILIATES } from '../errors.ts'
import type { AffiliateProfile } from '../profile/profile.ts'
import * as profiles from '../sql.ts'
import { forfeit } from './clawback.ts'
import { commissionMachine } from './commission-machine.ts'
import * as statements from './sql.ts'
import type { Commission } from './sql.ts'

export interface Payment {
  currency: Asset
  amount: bigint
  /** What of it has paid a debt of the affiliate, such as a commission that was taken back after it was paid. */
  recovered: bigint
  walletId: string
  commissions: number
}

/** Pays what is available to the wallet of the caller. ApiError 404 without a profile, 409 if it is not ACTIVE or nothing is available. */
export async function payOut(tx: Tx, ctx: RequestContext) {
  requireUnboundCredential(ctx)
  const profile = await tx.maybe(profiles.lockProfileOf(ctx.principal.accountId))
  if (!profile) throw apiError(AFFILIATES.AFFILIATE_NOT_FOUND, { hint: 'Apply with POST /affiliates/apply' })
  if (profile.status !== 'ACTIVE')
    throw apiError(AFFILIATES.AFFILIATE_NOT_ACTIVE, { details: { status: profile.status } })
  const payments = await payAvailable(tx, profile, 'affiliate')
  if (!payments.length)
    throw apiError(AFFILIATES.NO_COMMISSION_AVAILABLE, {
      hint: 'GET /affiliates/commissions shows when each commission becomes available',
    })
  return {
    payments: payments.map(({ amount, recovered, ...payment }) => ({
      ...payment,
      amount: formatMoney(amount),
      recovered: formatMoney(recovered),
    })),
  }
}

/** Moves what is available to the default wallets of the affiliate, one for each currency, less what it owes. */
export async function payAvailable(
  tx: Tx,
  { id, accountId }: Pick<AffiliateProfile, 'id' | 'accountId'>,
  by: 'affiliate' | 'timer',
): Promise<Payment[]> {
  const available = await tx.rows(statements.lockAvailable(id))
  if (!available.length) return []
  const account = await accountById(tx, accountId)
  if (!account || account.status === 'DELETED') return []
  const payments: Payment[] = []
  for (const [currency, commissions] of Map.groupBy(available, ({ currency }) => currency))
    payments.push(await pay(tx, { profileId: id, accountId, currency, commissions, by }))
  return payments
}

/** Before an account is deleted: what is available goes to its wallet, what still waits is given up. */
export async function endCommissionsOf(
  tx: Tx,
  profile: Pick<AffiliateProfile, 'id' | 'accountId'>,
): Promise<void> {
  await payAvailable(tx, profile, 'affiliate')
  await forfeit(tx, await tx.rows(statements.lockUnpaid(profile.id)))
}

async function pay(
  tx: Tx,
  input: {
    profileId: string
    accountId: string
    currency: Asset
    commissions: readonly Commission[]
    by: 'affiliate' | 'timer'
  },
): Promise<Payment> {
  const { profileId, accountId, currency: asset, commissions, by } = input
  const owner = { ownerType: 'USER', ownerId: accountId, accountId } as const
  const wallet = await cryptoWallets.openWallet(tx, owner, asset)
  const debts = await chargebacks.lockDebts(tx, part`${accountId}::uuid`, part`${asset}::text`)
  await lockToCredit(tx, wallet.id, asset)
  const amount = commissions.reduce((sum, { amount, clawedBack }) => sum + amount - clawedBack, 0n)
  for (const commission of commissions)
    await transition(tx, commissionMachine, commission, { event: 'pay', by, set: { paidAt: tx.now } })
  const payable = accounts.affiliatePayable(profileId)
  const recovery = chargebacks.recoverDebts(tx, debts, { account: payable, atMost: amount })
  const recovered = recovery.reduce((sum, leg) => sum + leg.amount, 0n)
  const rest = { debit: payable, credit: creditAccount(wallet, false), amount: amount - recovered, asset }
  const id = newId()
  await post(tx, {
    kind: 'commission_paid',
    key: `commission-payment/${id}`,
    reference: { affiliateId: profileId, walletId: wallet.id },
    legs: [rest, ...recovery].filter(leg => leg.amount > 0n),
  })
  return { currency: asset, amount, recovered, walletId: wallet.id, commissions: commissions.length }
}
