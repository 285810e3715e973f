import assert from 'node:assert/strict'
import type { Db } from '#platform/kernel/db'
import { MICRO } from '#platform/kernel/money'
import type { Reservation, ReservationRequest } from '../core/funds.ts'
import { BudgetBlock, Lease, type Block } from './block.ts'
import type { Budget } from './budget.ts'
import { CHANNEL, closeOwn, returnPart } from './close.ts'
import type { Entry } from './flush.ts'
import type { PlanRequest } from './plan.ts'
import { LeaseReservation } from './reservation.ts'
import { notify } from './sql.ts'
import { MONEY, takeBlocks, type Taken } from './take.ts'
import type { Timing } from './timing.ts'
import { distinct, NONE, potsOf, refusalOf, type Waiter } from './waiter.ts'

export interface AccountContext {
  db: Db
  timing: Timing
  /** Takes what was spent. */
  add(entry: Entry): void
  /** Asks the other instances to return what they do not use of this account. */
  recall(accountId: string): Promise<void>
  /** Resolves when this instance hears what other instances ask for. */
  listening(): Promise<void>
}

/** Largest request, in micro-USD, for whose like a block is taken before it is needed. */
const AHEAD_MAX = MICRO / 4n
/** For how long the database is assumed to have no more than it had. */
const EMPTY_MS = 1000

/**
 * The funds of one account, real or in test credit, on this instance: its lease, the parts of budgets that belong to it,
 * and the requests that wait. Requests are served in their order, and all that wait share each round to the database.
 */
export class AccountFunds {
  readonly #accountId: string
  readonly #test: boolean
  readonly #context: AccountContext
  #lease: Lease | null = null
  #waiters: Waiter[] = []
  /** What a request like the last one will want, while the lease does not have it any more. */
  #ahead: { pots: readonly string[]; budgets: readonly Budget[]; wanted: bigint } | null = null
  #serving: Promise<void> | undefined
  #wake: () => void = () => undefined
  /** Rounds to the database, one after the other. */
  #rounds: Promise<unknown> = Promise.resolve()
  #usedAt = performance.now()

  constructor(accountId: string, test: boolean, context: AccountContext) {
    this.#accountId = accountId
    this.#test = test
    this.#context = context
  }

  get lease(): Lease | null {
    if (this.#lease?.isLost) this.#lease = null
    return this.#lease
  }

  /** Whether nothing would be lost without this object. */
  get isIdle(): boolean {
    const since = performance.now() - this.#context.timing.idleMs
    return !this.lease && !this.#waiters.length && !this.#serving && this.#usedAt < since
  }

  /** At once where the lease suffices and nothing waits; ApiError 402 otherwise, where the database has no more either. */
  reserve(request: ReservationRequest, budgets: readonly Budget[]): Promise<Reservation> {
    this.#usedAt = performance.now()
    const amount = this.#waiters.length ? null : this.#amountOf(request, budgets)
    if (amount !== null) return Promise.resolve(this.#grant(amount, request.wanted, budgets))
    return new Promise((resolve, reject) => {
      const pots = potsOf(budgets)
      const minimum = request.minimum > 0n ? request.minimum : 1n
      const common = { lacking: null, deadline: null, answered: NONE, resolve, reject }
      this.#waiters.push({ ...common, budgets, pots, minimum, wanted: request.wanted })
      this.wake()
      this.#serve()
    })
  }

  /** Something may have changed for the requests that wait. */
  wake(): void {
    this.#wake()
  }

  /** The instance of another lease has returned what it does not use. */
  hear(leaseId: string): void {
    for (const waiter of this.#waiters)
      if (waiter.deadline !== null) waiter.answered = new Set([...waiter.answered, leaseId])
    this.wake()
  }

  /** What the blocks in memory give to the request; null if they do not suffice and the database may have more. */
  #amountOf(
    { minimum, wanted }: { minimum: bigint; wanted: bigint },
    budgets: readonly Budget[],
    { isPlanned = false } = {},
  ): bigint | null {
    const lease = this.lease
    const now = performance.now()
    if (!lease || now >= lease.usableUntil) return null
    let amount = wanted
    const limitBy = (block: Block | undefined): boolean => {
      if (!block) return false
      if (block.free >= amount) return true
      amount = block.free
      return now < block.emptyUntil
    }
    if (!limitBy(lease.money)) return null
    for (const { id, limit } of budgets) {
      const block = lease.budgets.get(id)
      // A changed limit must be planned.
      if ((block?.limit !== limit && !isPlanned) || !limitBy(block)) return null
    }
    return amount >= minimum ? amount : null
  }

  #grant(amount: bigint, wanted: bigint, budgets: readonly Budget[]): Reservation {
    const lease = this.lease
    assert(lease)
    const now = performance.now()
    const blocks = [lease.money, ...budgets.map(({ id }) => lease.budgets.get(id)).filter(block => !!block)]
    for (const block of blocks) block.reserve(amount, now)
    const isSoonEmpty = blocks.some(block => block.free < wanted && now >= block.emptyUntil)
    // A large request waits itself, rather than that money for another one is taken in advance.
    if (isSoonEmpty && wanted <= AHEAD_MAX) {
      this.#ahead = { pots: potsOf(budgets), budgets, wanted }
      this.#serve()
    }
    const budgetIds = budgets.map(({ id }) => id)
    return new LeaseReservation(amount, { lease, blocks, budgetIds }, entry => this.#context.add(entry))
  }

  #serve(): void {
    this.#serving ??= this.#serveAll().finally(() => {
      this.#serving = undefined
      if (this.#waiters.length) this.#serve()
    })
  }

  async #serveAll(): Promise<void> {
    while (this.#waiters.length || this.#ahead) {
      const waiters = this.#waiters.map(waiter => ({ waiter, answered: waiter.answered }))
      const woken = new Promise<void>(resolve => (this.#wake = resolve))
      try {
        const others = await this.#takeFor(waiters.map(({ waiter }) => waiter))
        this.#grantWaiters()
        if (others === null) continue
        const unserved = waiters.filter(
          ({ waiter }) => waiter.lacking !== null && this.#waiters.includes(waiter),
        )
        // Answers that came during the round have changed something that it did not see.
        const waiting = unserved.filter(({ waiter, answered }) => !this.#refuse(waiter, others, answered))
        if (waiting.length)
          await this.#recallFor(
            waiting.map(({ waiter }) => waiter),
            woken,
          )
      } catch (error) {
        for (const { waiter } of waiters) if (this.#remove(waiter)) waiter.reject(error)
      }
    }
  }

  /** Refuses a request for which other instances have nothing, or have returned it. */
  #refuse(waiter: Waiter, others: readonly string[], answered: ReadonlySet<string>): boolean {
    const isLate = waiter.deadline !== null && performance.now() >= waiter.deadline
    if (!isLate && !others.every(id => answered.has(id))) return false
    if (this.#remove(waiter)) waiter.reject(refusalOf(waiter, this.#test))
    return true
  }

  /** Asks other instances, and waits for what they return. */
  async #recallFor(waiters: readonly Waiter[], woken: Promise<void>): Promise<void> {
    const deadline = performance.now() + this.#context.timing.recallMs
    const asking = waiters.filter(waiter => waiter.deadline === null)
    for (const waiter of asking) waiter.deadline = deadline
    if (asking.length) await this.#context.recall(this.#accountId)
    const next = Math.min(...waiters.map(waiter => waiter.deadline ?? deadline))
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>(resolve => {
      timer = setTimeout(resolve, Math.max(next - performance.now(), 0))
    })
    await Promise.race([woken, timeout])
    clearTimeout(timer)
  }

  /** One round to the database for all of them. Returns the other leases that are open; null if the lease was lost. */
  #takeFor(waiters: readonly Waiter[]): Promise<readonly string[] | null> {
    return this.#exclusively(async () => {
      const { db, timing } = this.#context
      const ahead = this.#ahead
      this.#ahead = null
      const extra = ahead ? [{ ...ahead, minimum: 0n }] : []
      const requests: PlanRequest[] = [...waiters, ...extra]
      const budgets = distinct([...waiters, ...extra].flatMap(each => each.budgets))
      const lease = this.lease
      if (!lease) await this.#context.listening()
      const sentAt = performance.now()
      const { leaseMs } = timing
      const order = { accountId: this.#accountId, test: this.#test, lease, requests, budgets, leaseMs }
      const taken = await db.transaction(tx => takeBlocks(tx, order))
      if (!taken) {
        lease?.lose()
        return null
      }
      this.#apply(taken, budgets, sentAt)
      for (const waiter of waiters) waiter.lacking = taken.lacking.get(waiter) ?? null
      return taken.others
    })
  }

  #apply({ leaseId, take, pots }: Taken<PlanRequest>, budgets: readonly Budget[], sentAt: number): void {
    if (leaseId === null) return
    const lease = (this.#lease = this.lease ?? new Lease(leaseId))
    lease.renew(sentAt, this.#context.timing)
    const now = performance.now()
    const add = (block: Block, pot: string) => {
      const amount = take.get(pot) ?? 0n
      if (amount > 0n) block.free += amount
      block.emptyUntil = (pots.get(pot)?.left ?? 0n) - amount <= 0n ? now + EMPTY_MS : 0
      block.usedAt = now
    }
    add(lease.money, MONEY)
    for (const { id, limit } of budgets) {
      const block = lease.budgets.get(id) ?? new BudgetBlock(limit)
      lease.budgets.set(id, block)
      block.limit = limit
      add(block, id)
    }
  }

  #grantWaiters(): void {
    for (const waiter of this.#waiters.slice()) {
      const { budgets, wanted, resolve } = waiter
      const amount = this.#amountOf(waiter, budgets, { isPlanned: true })
      if (amount === null || !this.#remove(waiter)) continue
      resolve(this.#grant(amount, wanted, budgets))
    }
  }

  #remove(waiter: Waiter): boolean {
    const place = this.#waiters.indexOf(waiter)
    if (place < 0) return false
    this.#waiters.splice(place, 1)
    return true
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const round = this.#rounds.then(work, work)
    this.#rounds = round.catch(() => undefined)
    return round
  }

  /** Returns what is not reserved; an instance that asks is answered even if there is nothing. */
  async giveBack({ isAsked = false } = {}): Promise<void> {
    await this.#exclusively(async () => {
      const lease = this.lease
      if (!lease) return
      this.#ahead = null
      const isReturned = await this.#returnFrom(lease, lease.money.empty(), [...lease.budgets])
      if (isReturned || !isAsked) return
      await this.#context.db.run(
        notify(CHANNEL, { kind: 'returned', accountId: this.#accountId, leaseId: lease.id }),
      )
    })
  }

  /** Returns a lease, or the parts of budgets, that nothing has used for a while. `all`: at the stop. */
  async tidy({ all = false } = {}): Promise<void> {
    if (this.#serving && !all) return
    await this.#exclusively(async () => {
      const lease = this.lease
      if (!lease) return
      const since = performance.now() - this.#context.timing.idleMs
      if (all || (lease.money.isIdle(since) && !this.#waiters.length)) {
        lease.lose()
        await this.#context.db.transaction(tx => closeOwn(tx, lease.id))
        return
      }
      const idle = [...lease.budgets].filter(([, block]) => block.isIdle(since))
      if (idle.length) await this.#returnFrom(lease, 0n, idle)
    })
  }

  async #returnFrom(
    lease: Lease,
    amount: bigint,
    blocks: readonly [string, BudgetBlock][],
  ): Promise<boolean> {
    const budgets = lease.emptyBudgets(blocks)
    if (amount === 0n && !budgets.length) return false
    await this.#context.db.transaction(tx => returnPart(tx, lease.id, { amount, budgets }))
    return true
  }
}
