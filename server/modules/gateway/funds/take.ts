import { balanceOf, lockBalancesAmong, writeJournal } from '#ledger'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { part } from '#platform/kernel/sql'
import type { Lease } from './block.ts'
import type { Budget } from './budget.ts'
import { journalKey, leaseAccount, routingAccount } from './close.ts'
import { planBlocks, type Plan, type PlanRequest, type Pot } from './plan.ts'
import * as statements from './sql.ts'

/** The name of the routing balance among the pots; budgets have their ids. */
export const MONEY = 'money'
/** In its place among what is lacking, where a chargeback has frozen it. */
export const FROZEN = 'frozen'

export interface Order<Request extends PlanRequest> {
  accountId: string
  test: boolean
  /** That of this instance, if it has one. */
  lease: Lease | null
  requests: readonly Request[]
  budgets: readonly Budget[]
  leaseMs: number
}

export interface Taken<Request extends PlanRequest> extends Plan<Request> {
  leaseId: string | null
  pots: ReadonlyMap<string, Pot>
  /** Other open leases of the account, of which their instances may return something. */
  others: readonly string[]
}

/**
 * Takes from the routing balance and the budgets what the requests need, for a new or an existing lease. Null if the lease
 * was closed by another process.
 */
export async function takeBlocks<Request extends PlanRequest>(
  tx: Tx,
  order: Order<Request>,
): Promise<Taken<Request> | null> {
  const { accountId, lease, requests, test } = order
  const source = routingAccount(accountId, test)
  const budgetIds = order.budgets.map(({ id }) => id)
  // In one packet; the locks in the order lease, budgets, ledger.
  const [rows, , budgetRows, balances, otherRows] = await Promise.all([
    lease ? tx.rows(statements.lockLeases([lease.id])) : [],
    budgetIds.length ? tx.run(statements.insertBudgets(order.budgets)) : 0,
    budgetIds.length ? tx.rows(statements.lockBudgets(budgetIds)) : [],
    // Nothing is leased of a balance that a chargeback has frozen.
    lockBalancesAmong(tx, part`select ${source}`, { frozenAsZero: true }),
    tx.rows(statements.otherLeases(accountId, lease?.id ?? null)),
  ])
  const [row] = rows
  if (lease && row?.status !== 'OPEN') return null
  const pots = new Map<string, Pot>([
    [MONEY, { free: lease?.money.free ?? 0n, left: balances.get(source) ?? 0n }],
  ])
  const spentById = new Map(budgetRows.map(each => [each.id, each.spent + each.allotted]))
  for (const { id, limit } of order.budgets)
    pots.set(id, { free: lease?.budgets.get(id)?.free ?? 0n, left: limit - (spentById.get(id) ?? 0n) })
  const plan = await withFreeze(planBlocks(requests, pots), () =>
    balances.get(source) ? Promise.resolve(0n) : balanceOf(tx, source, 'USD'),
  )
  // A budget whose limit was lowered gets smaller before anything else can reserve it.
  for (const [id, amount] of plan.take) {
    const block = lease?.budgets.get(id)
    if (block && amount < 0n) block.free += amount
  }
  const leaseId = writeTaken(tx, order, { plan, epoch: row?.epoch ?? 0 })
  return { ...plan, leaseId, pots, others: otherRows.map(({ id }) => id) }
}

/** Says of requests that lack money whether it is there, and frozen. `held` is what a frozen balance has. */
async function withFreeze<Request extends PlanRequest>(
  plan: Plan<Request>,
  held: () => Promise<bigint>,
): Promise<Plan<Request>> {
  const lacksMoney = [...plan.lacking.values()].includes(MONEY)
  if (!lacksMoney || !(await held())) return plan
  const lacking = [...plan.lacking].map(([request, pot]) => [request, pot === MONEY ? FROZEN : pot] as const)
  return { ...plan, lacking: new Map(lacking) }
}

function writeTaken<Request extends PlanRequest>(
  tx: Tx,
  { accountId, test, lease, budgets, leaseMs }: Order<Request>,
  { plan, epoch }: { plan: Plan<Request>; epoch: number },
): string | null {
  const amount = plan.take.get(MONEY) ?? 0n
  const changes = budgets
    .map(({ id }) => ({ budgetId: id, amount: plan.take.get(id) ?? 0n, spent: 0n }))
    .filter(change => change.amount !== 0n)
  if (!lease && amount === 0n) return null
  const leaseId = lease?.id ?? newId()
  const target = leaseAccount(leaseId, test)
  if (!lease) tx.write(statements.insertLease({ id: leaseId, accountId, test, now: tx.now }, leaseMs))
  else if (amount > 0n) tx.write(statements.advanceLeases([leaseId], leaseMs))
  else tx.write(statements.renewLeases([leaseId], leaseMs))
  if (changes.length) {
    const ofLease = changes.map(change => ({ leaseId, ...change }))
    tx.write(statements.changeBudgets(ofLease))
    tx.write(statements.changeBudgetBlocks(ofLease))
  }
  if (amount > 0n)
    writeJournal(
      tx,
      {
        kind: 'routing_lease_taken',
        key: journalKey(leaseId, epoch + 1),
        reference: { accountId, leaseId },
        legs: [{ debit: routingAccount(accountId, test), credit: target, amount, asset: 'USD' }],
      },
      lease ? [] : [target],
    )
  return leaseId
}
