import { accounts, lockBalancesAmong, writeJournal } from '#ledger'
import type { Tx } from '#platform/kernel/db'
import { transition } from '#platform/kernel/machine'
import { part } from '#platform/kernel/sql'
import { leaseMachine, type LeaseEvent, type LeaseTrigger } from './lease-machine.ts'
import * as statements from './sql.ts'
import type { BudgetChange, LeaseRow } from './sql.ts'

/** The key of the nth journal of a lease. */
export const journalKey = (leaseId: string, epoch: number): string => `routing-lease/${leaseId}/${epoch}`

export const routingAccount = (accountId: string, test: boolean): string =>
  test ? accounts.testRouting(accountId) : accounts.routing(accountId)
export const leaseAccount = (leaseId: string, test: boolean): string =>
  test ? accounts.testRoutingLease(leaseId) : accounts.routingLease(leaseId)

interface Closing {
  event: LeaseEvent
  by: LeaseTrigger
}

/** Closes an open lease that is locked: returns its balance and its parts of budgets. */
export async function closeLease(tx: Tx, lease: LeaseRow, { event, by }: Closing): Promise<void> {
  const account = leaseAccount(lease.id, lease.test)
  await tx.run(statements.lockBudgetsOfLease(lease.id))
  const balances = await lockBalancesAmong(tx, part`select ${account}`)
  const rest = balances.get(account) ?? 0n
  await transition(tx, leaseMachine, lease, { event, by })
  tx.write(statements.returnBudgetsOfLease(lease.id))
  writeReturn(tx, lease, rest)
  writeMessage(tx, { kind: 'returned', accountId: lease.accountId, leaseId: lease.id })
}

/** Closes all leases of an account: their instances lose them, and the platform bears requests that are under way. */
export async function closeLeasesOf(tx: Tx, accountId: string, by: LeaseTrigger): Promise<void> {
  for (const lease of await tx.rows(statements.lockOpenLeasesOf(accountId)))
    await closeLease(tx, lease, { event: 'revoke', by })
  writeMessage(tx, { kind: 'revoked', accountId })
}

/** The channel on which instances ask each other for what they do not use. */
export const CHANNEL = 'gateway_lease'

/** What the instances say to each other on the channel. */
export interface LeaseMessage {
  /** `recall`: return what you do not use. `returned`: the instance of a lease has done so. `revoked`: leases were closed. */
  kind: 'recall' | 'returned' | 'revoked'
  accountId: string
  /** The instance that asks, which does not ask itself. */
  from?: string
  leaseId?: string
}

/** Sent with the commit. */
export const writeMessage = (tx: Tx, message: LeaseMessage): void =>
  tx.write(statements.notify(CHANNEL, message))

/**
 * Returns a part of an open lease, and parts of its budgets, which the caller has taken out of them. Ends the blocks of these
 * budgets that have nothing more, also where nothing is returned.
 */
export async function returnPart(
  tx: Tx,
  leaseId: string,
  { amount, budgets }: { amount: bigint; budgets: readonly Omit<BudgetChange, 'leaseId' | 'spent'>[] },
): Promise<void> {
  const changes = budgets
    .filter(change => change.amount !== 0n)
    .map(change => ({ ...change, leaseId, spent: 0n }))
  const [[lease]] = await Promise.all([
    tx.rows(statements.lockLeases([leaseId])),
    changes.length ? tx.rows(statements.lockBudgets(changes.map(({ budgetId }) => budgetId))) : [],
  ])
  if (lease?.status !== 'OPEN') return
  if (changes.length) {
    tx.write(statements.changeBudgets(changes))
    tx.write(statements.changeBudgetBlocks(changes))
  }
  const budgetIds = budgets.map(({ budgetId }) => budgetId)
  if (budgetIds.length) tx.write(statements.deleteEmptyBlocks(leaseId, budgetIds))
  writeReturn(tx, lease, amount)
  writeMessage(tx, { kind: 'returned', accountId: lease.accountId, leaseId: lease.id })
}

function writeReturn(tx: Tx, { id, accountId, test, epoch }: LeaseRow, amount: bigint): void {
  if (amount === 0n) return
  tx.write(statements.advanceEpoch(id))
  writeJournal(tx, {
    kind: 'routing_lease_returned',
    key: journalKey(id, epoch + 1),
    reference: { accountId, leaseId: id },
    legs: [{ debit: leaseAccount(id, test), credit: routingAccount(accountId, test), amount, asset: 'USD' }],
  })
}

/** Closes leases that their instances have not renewed; each in a transaction of its own. */
export const closeExpired = async (tx: Tx, leaseId: string): Promise<void> => {
  const [lease] = await tx.rows(statements.lockLeases([leaseId]))
  if (lease?.status === 'OPEN' && lease.isExpired)
    await closeLease(tx, lease, { event: 'expire', by: 'timer' })
}

/** Returns a lease that this instance does not use any more. */
export const closeOwn = async (tx: Tx, leaseId: string): Promise<void> => {
  const [lease] = await tx.rows(statements.lockLeases([leaseId]))
  if (lease?.status === 'OPEN') await closeLease(tx, lease, { event: 'return', by: 'instance' })
}
