import { accounts, writeJournals } from '#ledger'
import type { Tx } from '#platform/kernel/db'
import type { Leg } from '#platform/kernel/money'
import type { UsageRecord } from '../core/funds.ts'
import type { Block, Lease } from './block.ts'
import { journalKey, leaseAccount } from './close.ts'
import type { Charge } from './plan.ts'
import * as statements from './sql.ts'
import type { BudgetChange, LeaseRow } from './sql.ts'
import { hasUsage, insertUsage, type Usage } from './usage-sql.ts'

/** A request that has ended and waits for the database. */
export interface Entry {
  record: UsageRecord
  charge: Charge
  /** What paid; null for a request that reserved nothing. */
  paidBy: { lease: Lease; blocks: readonly Block[]; budgetIds: readonly string[] } | null
}

/** Ids of leases. */
interface Written {
  /** Closed by another process. */
  closed: ReadonlySet<string>
  renewed: ReadonlySet<string>
}

/**
 * Writes the usage rows of a batch, the postings of their leases and what their budgets have spent. What was spent on a
 * lease that another process has closed is borne by the platform, and its rows charge nothing. A repeated batch, whose
 * outcome is unknown, is written once.
 */
export async function writeBatch(
  tx: Tx,
  entries: readonly Entry[],
  { leaseMs, isRepeated }: { leaseMs: number; isRepeated: boolean },
): Promise<Written> {
  const charged = entries.filter(({ paidBy }) => paidBy !== null)
  const budgetIds = [...new Set(charged.flatMap(({ paidBy }) => paidBy?.budgetIds ?? []))]
  const first = entries[0]?.record.id ?? ''
  const [leases, , written] = await Promise.all([
    tx.rows(statements.lockLeases([...new Set(charged.map(leaseIdOf))])),
    budgetIds.length ? tx.rows(statements.lockBudgets(budgetIds)) : [],
    isRepeated ? tx.one(hasUsage(first)) : { found: false },
  ])
  const closed = new Set(leases.filter(({ status }) => status === 'CLOSED').map(({ id }) => id))
  if (written.found) return { closed, renewed: new Set() }
  const usage: Usage[] = []
  const posted: { lease: LeaseRow; legs: Leg[] }[] = []
  for (const lease of leases) {
    const own = charged.filter(entry => leaseIdOf(entry) === lease.id)
    const rows = own.map(entry => toUsage(entry, lease))
    const legs = legsOf(rows, lease)
    if (legs.length) {
      posted.push({ lease, legs })
      usage.push(...rows)
    } else usage.push(...rows.map(row => ({ ...row, leaseId: null, epoch: null })))
  }
  writeJournals(
    tx,
    posted.map(({ lease: { id, epoch, accountId }, legs }) => ({
      kind: 'routing_usage',
      key: journalKey(id, epoch + 1),
      reference: { accountId, leaseId: id },
      legs,
    })),
  )
  for (const { record, charge, paidBy } of entries)
    if (!paidBy) usage.push({ record, ...charge, leaseId: null, epoch: null })
  tx.write(insertUsage(usage))
  const advanced = posted.map(({ lease }) => lease.id)
  if (advanced.length) tx.write(statements.advanceLeases(advanced, leaseMs))
  const changes = changesOf(charged.filter(entry => !closed.has(leaseIdOf(entry))))
  if (changes.length) {
    tx.write(statements.changeBudgets(changes))
    tx.write(statements.changeBudgetBlocks(changes))
  }
  return { closed, renewed: new Set(advanced.filter(id => !closed.has(id))) }
}

const leaseIdOf = ({ paidBy }: Entry): string => paidBy?.lease.id ?? ''

function toUsage({ record, charge }: Entry, { id, epoch, status, test }: LeaseRow): Usage {
  const common = { record, leaseId: id, epoch: epoch + 1 }
  // A simulated answer has no cost that anybody could bear.
  const borneOf = (amount: bigint): bigint => (test ? 0n : amount)
  if (status === 'OPEN') return { ...common, ...charge, borne: borneOf(charge.borne) }
  return { ...common, cost: 0n, fee: 0n, borne: borneOf(charge.cost + charge.borne) }
}

/** Cost to its provider and the fee to the platform; in test credit both to the test float, which owes nobody. */
export function legsOf(rows: readonly Usage[], { id, test }: Pick<LeaseRow, 'id' | 'test'>): Leg[] {
  const sums = new Map<string, Leg>()
  const add = (debit: string, credit: string, amount: bigint) => {
    if (amount === 0n) return
    const leg = sums.get(`${debit} ${credit}`) ?? { debit, credit, amount: 0n, asset: 'USD' }
    sums.set(`${debit} ${credit}`, { ...leg, amount: leg.amount + amount })
  }
  const lease = leaseAccount(id, test)
  for (const { record, cost, fee, borne } of rows)
    if (test) add(lease, accounts.testFloat, cost + fee)
    else {
      const provider = accounts.provider(record.provider)
      add(lease, provider, cost)
      add(lease, accounts.routingFee, fee)
      add(accounts.gatewayLoss, provider, borne)
    }
  return [...sums.values()]
}

/** What was charged moves from the blocks of the leases to what the budgets have spent. */
function changesOf(entries: readonly Entry[]): BudgetChange[] {
  const changes = new Map<string, BudgetChange>()
  for (const { paidBy, charge } of entries) {
    const spent = charge.cost + charge.fee
    if (!paidBy || spent === 0n) continue
    const leaseId = paidBy.lease.id
    for (const budgetId of paidBy.budgetIds) {
      const key = `${leaseId} ${budgetId}`
      const change = changes.get(key) ?? { leaseId, budgetId, amount: 0n, spent: 0n }
      changes.set(key, { ...change, amount: change.amount - spent, spent: change.spent + spent })
    }
  }
  return [...changes.values()]
}
