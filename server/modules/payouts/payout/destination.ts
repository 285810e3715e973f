import { requireStepUp } from '#identity'
import { cryptoWallets } from '#wallets'
import { hasChain } from '#x402'
import { audit } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { lockDestination } from '../account/account.ts'
import { setAddress, type PayoutAccount } from '../account/sql.ts'
import { PAYOUTS } from '../errors.ts'
import { requestDestinationMail } from '../mail.ts'
import type { Owner } from '../owner.ts'
import type { Rail } from './sql.ts'

interface Wanted {
  owner: Owner
  order: { toAddress?: string }
  rail: Rail
}

/**
 * Where a payout goes; the row stays locked, so that the destination is not disconnected meanwhile. ApiErrors 400 without
 * a destination, for one that is not ready and for an address that the service holds, where nobody is credited; 403 for a
 * new address without step-up.
 */
export async function destinationOf(
  tx: Tx,
  services: Services,
  ctx: RequestContext,
  { owner, order: { toAddress }, rail }: Wanted,
): Promise<string> {
  const account = await lockDestination(tx, owner)
  if (rail === 'processor') {
    if (toAddress !== undefined) throw invalid('toAddress requires rail chain')
    return bankOf(account)
  }
  if (!hasChain(services))
    throw apiError(PAYOUTS.PAYOUT_RAIL_UNAVAILABLE, {
      hint: 'This server has no chain to pay out on, use rail processor',
    })
  if (toAddress !== undefined) return saveAddress(tx, services, ctx, { account, owner, toAddress })
  if (account.address === null)
    throw apiError(PAYOUTS.WALLET_NOT_CONFIGURED, { hint: 'Send toAddress: no address is saved yet' })
  // Earlier versions saved an address of the service too.
  return cryptoWallets.outsideAddress(tx, account.address)
}

/** A request never names a bank account: the money goes to the one that its owner connected. */
function bankOf({ status, processorAccountId, requirements }: PayoutAccount): string {
  if (processorAccountId === null)
    throw apiError(PAYOUTS.WALLET_NOT_CONFIGURED, {
      hint: 'Connect a bank account first, with the setup operation of payouts',
    })
  if (status !== 'ACTIVE')
    throw apiError(PAYOUTS.PAYOUT_ACCOUNT_NOT_READY, {
      hint: 'Complete the onboarding: the setup operation of payouts returns its link',
      details: { status, requirements },
    })
  return processorAccountId
}

interface Addressed {
  account: PayoutAccount
  owner: Owner
  toAddress: string
}

/** The address in checksum form; a change of the saved one needs a fresh proof, and its owner is notified. */
async function saveAddress(
  tx: Tx,
  services: Services,
  ctx: RequestContext,
  { account, owner, toAddress }: Addressed,
): Promise<string> {
  const address = await cryptoWallets.outsideAddress(tx, toAddress)
  if (address === account.address) return address
  await requireStepUp(tx, ctx, tx.clock.real())
  await tx.run(setAddress(account.id, owner.accountId, address, tx.now))
  await audit(tx, ctx, 'payout_account.address_set', {
    target: [owner.type.toLowerCase(), owner.id],
    details: { address },
    about: [owner.accountId],
  })
  await requestDestinationMail(tx, services, account, 'address')
  return address
}
