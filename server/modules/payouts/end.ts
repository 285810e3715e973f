import { paymentErasure } from '#payments'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { accountMachine } from './account/account-machine.ts'
import * as accountStatements from './account/sql.ts'
import type { PayoutAccount } from './account/sql.ts'
import { AGENT_CLAIMED, CHARGED_BACK, requestPayoutMail } from './mail.ts'
import * as statements from './payout/sql.ts'
import { erasePayoutsOf } from './payout/erase.ts'
import { cancelUnsent } from './payout/review.ts'

/**
 * Ends the payouts of accounts and organizations that are being deleted, and of agents that they control: what is not
 * sent returns to its wallet, destinations are disconnected, and texts are erased. What is sent runs to its end; if it
 * comes back, it goes to the unclaimed funds.
 */
export async function endPayoutsOf(tx: Tx, accountIds: readonly string[]): Promise<void> {
  for (const account of await tx.rows(accountStatements.lockAccountsOf(accountIds)))
    await disconnect(tx, account)
  await cancelUnsent(tx, await tx.rows(statements.unsentOf(accountIds)))
  await erasePayoutsOf(tx, accountIds)
}

/** Ends what the previous owner of an agent set up: its destination, and payouts to it that are not sent, with a mail. */
export async function endPayoutsOfClaimedAgent(
  tx: Tx,
  services: Pick<Services, 'jobs'>,
  { agentId, accountId }: { agentId: string; accountId: string },
): Promise<void> {
  const account = await tx.maybe(accountStatements.lockAccountOfAgent(agentId))
  if (account) await disconnect(tx, account)
  const reason = { failureCode: AGENT_CLAIMED, failureMessage: 'The agent was claimed' }
  for (const payout of await cancelUnsent(tx, await tx.rows(statements.unsentOfAgent(agentId)), reason))
    if (payout.accountId !== accountId) await requestPayoutMail(tx, services, payout)
}

/** Subscriber of `account.claimed`: who registered the account with the address of somebody else may have set them up. */
export const endPayoutsOfClaimedAccount = (tx: Tx, { accountId }: { accountId: string }): Promise<void> =>
  endPayoutsOf(tx, [accountId])

/** Subscriber of `wallet.fell_short`: the money of payouts that are not sent pays the bank first, with a mail to their owner. */
export const returnPayoutsToWalletThatFellShort =
  (services: Pick<Services, 'jobs'>) =>
  async (tx: Tx, { walletId }: { walletId: string }): Promise<void> => {
    const unsent = await tx.rows(statements.unsentFromWallet(walletId))
    for (const payout of await cancelUnsent(tx, unsent, TAKEN_BACK))
      await requestPayoutMail(tx, services, payout)
  }

const TAKEN_BACK = {
  failureCode: CHARGED_BACK,
  failureMessage: 'A bank took back money of the wallet',
}

async function disconnect(tx: Tx, account: PayoutAccount): Promise<void> {
  if (account.processorAccountId !== null) {
    await paymentErasure.eraseConnectedAccount(tx, account.processorAccountId)
    await transition(tx, accountMachine, account, {
      event: 'disconnect',
      by: 'system',
      set: { processorAccountId: null },
    })
  }
  await tx.run(accountStatements.eraseHolder(account.id, newId()))
}
