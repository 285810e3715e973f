import type { Timing } from './timing.ts'

/**
 * Micro-USD that this instance may spend without the database. What the database counts for it is at least
 * `free + reserved + unflushed`; where an outcome is unknown the database counts more, and returns it with the lease.
 */
export class Block {
  free = 0n
  reserved = 0n
  /** Spent, and not in the database yet. */
  unflushed = 0n
  /** Until this moment the database is known to have nothing to add. Monotonic, as all moments here. */
  emptyUntil = 0
  usedAt = 0

  reserve(amount: bigint, now: number): void {
    this.free -= amount
    this.reserved += amount
    this.usedAt = now
  }

  /** Ends a reservation of which `spent` is charged. */
  capture(reserved: bigint, spent: bigint, now: number): void {
    this.reserved -= reserved
    this.free += reserved - spent
    this.unflushed += spent
    this.usedAt = now
  }

  isIdle(since: number): boolean {
    return this.reserved === 0n && this.unflushed === 0n && this.usedAt < since
  }

  /** Takes out all that is free, which is about to be returned. */
  empty(): bigint {
    const amount = this.free
    this.free = 0n
    this.emptyUntil = 0
    return amount
  }
}

/** The part of a budget that a lease may spend. */
export class BudgetBlock extends Block {
  /** The limit that the key had when the block was taken. */
  limit: bigint

  constructor(limit: bigint) {
    super()
    this.limit = limit
  }
}

/** A lease of this instance. */
export class Lease {
  readonly id: string
  readonly money = new Block()
  /** By the id of the budget. */
  readonly budgets = new Map<string, BudgetBlock>()
  /** No reservation from here on. */
  usableUntil = 0
  /** Another process has closed it, or this instance is about to. */
  isLost = false

  constructor(id: string) {
    this.id = id
  }

  /** A statement that was sent at this moment has renewed it. */
  renew(sentAt: number, { leaseMs, marginMs }: Timing): void {
    if (!this.isLost) this.usableUntil = Math.max(this.usableUntil, sentAt + leaseMs - marginMs)
  }

  /** Takes out all that is free of budgets. A block that nothing uses ends, even if nothing is free. */
  emptyBudgets(blocks: readonly (readonly [string, BudgetBlock])[]): { budgetId: string; amount: bigint }[] {
    const now = performance.now()
    return blocks.flatMap(([budgetId, block]) => {
      const amount = -block.empty()
      const isEnded = block.isIdle(now) && this.budgets.delete(budgetId)
      return isEnded || amount !== 0n ? [{ budgetId, amount }] : []
    })
  }

  lose(): void {
    this.isLost = true
    this.usableUntil = 0
  }
}
