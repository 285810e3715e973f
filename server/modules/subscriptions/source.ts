import { organizations } from '#identity'
import type { RequestContext } from '#platform/http/principal'
import type { Tx } from '#platform/kernel/db'
import type { Wallet } from '#wallets'

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
