import { organizations } from '#identity'
import type { RequestContext } from '#platform/http/principal'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { part } from '#platform/kernel/sql'
import { lockPayment, requireWallet, type Wallet, WALLETS } from '#wallets'
import type { Subscription } from './sql.ts'

type Source = Parameters<typeof lockPayment>[1]['source']

/** The wallet that is to pay, its balances locked. */
export async function lockWallet(tx: Tx, source: Source): Promise<Wallet | undefined> {
  const { wallets } = await lockPayment(tx, {
    source,
    owners: part`select null::text, null::uuid where false`,
  })
  return wallets[0]
}

/** The default dollar wallet of an account, its balances locked. */
export const lockDefaultWallet = (tx: Tx, accountId: string): Promise<Wallet | undefined> =>
  lockWallet(tx, { owner: part`select 'USER', ${accountId}::uuid`, currency: part`select 'USD'::text` })

/** A wallet of the subscriber alone, for the money of a card: the chosen one while it is one, else the default one. */
export async function ownWalletOf(
  tx: Tx,
  { accountId, walletId }: Pick<Subscription, 'accountId' | 'walletId'>,
): Promise<string> {
  const chosen = await requireWallet(tx, walletId)
  if (chosen.ownerType !== 'ORGANIZATION' && chosen.accountId === accountId) return chosen.id
  const wallet = await lockDefaultWallet(tx, accountId)
  if (!wallet) throw apiError(WALLETS.WALLET_NOT_FOUND)
  return wallet.id
}

/**
 * Whether an account may still spend from a wallet that it chose earlier: a claim gives the wallet of an agent to another
 * person, and members leave organizations. A transaction that takes the role away waits until this one ends.
 */
export const stillControls = async (
  tx: Tx,
  accountId: string,
  { ownerType, ownerId, accountId: controllerId }: Wallet,
): Promise<boolean> =>
  ownerType === 'ORGANIZATION'
    ? organizations.actsForOrganization(tx, asSubscriber(accountId), ownerId, 'spend')
    : controllerId === accountId

/** A timer acts for the person whose sign-in, the only credential of a checkout, chose the wallet. */
const asSubscriber = (accountId: string): RequestContext => ({
  principal: { via: 'session', accountId, userType: 'HUMAN', role: 'USER', sessionId: '' },
  ip: '',
  userAgent: null,
  requestId: '',
})
