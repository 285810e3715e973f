import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#platform/adapters/log/log'
import { Loop } from '#platform/kernel/background/loop'
import type { Clock } from '#platform/kernel/clock'
import { Listener } from '#platform/kernel/database/listener'
import { DatabaseAway, type Db } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { asError, isRecord } from '#platform/kernel/unknown'
import type { Funds, Reservation, ReservationRequest, UsageRecord } from '../core/funds.ts'
import { AccountFunds } from './account-funds.ts'
import { budgetsOf } from './budget.ts'
import { CHANNEL, closeExpired, type LeaseMessage } from './close.ts'
import type { Entry } from './flush.ts'
import { Flusher } from './flusher.ts'
import { deleteEndedBudgets, expiredLeases, notify, openLeasesOf, renewLeases } from './sql.ts'
import { TIMING, type Timing } from './timing.ts'

/** What the funds need of the service. */
export interface FundsServices {
  db: Db
  clock: Clock
  log: Log
}

/** How many expired leases one sweep closes. */
const SWEEP = 100

/** Creates the funds of this instance: leases in memory, the flush of what was spent, and the sweeper of expired leases. */
export const createFunds = (services: FundsServices, timing: Timing = TIMING): InstanceFunds =>
  new InstanceFunds(services, timing)

export class InstanceFunds implements Funds {
  readonly #services: FundsServices
  readonly #timing: Timing
  readonly #instanceId = newId()
  readonly #accounts = new Map<string, AccountFunds>()
  readonly #flusher: Flusher
  readonly #listener: Listener
  readonly #loops: readonly Loop[]
  /** Leases that the last sweep could not close. */
  #unclosable: string[] = []
  #isStopping = false

  constructor(services: FundsServices, timing: Timing) {
    const { db, log } = services
    this.#services = services
    this.#timing = timing
    this.#flusher = new Flusher(services, timing)
    this.#listener = new Listener(db, log, CHANNEL, message => this.#receive(message))
    this.#loops = [
      new Loop('routing leases', timing.tidyMs, log, () => this.tidy()),
      new Loop('expired routing leases', timing.sweepMs, log, () => this.sweep()),
    ]
  }

  start(): void {
    for (const loop of this.#loops) loop.start()
  }

  /** Writes what was spent, and returns all leases. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const loop of this.#loops) await loop.stop()
    await this.#flusher.stop(this.#timing.stopMs)
    const ends = [...this.#accounts.values()].map(account => account.tidy({ all: true }))
    for (const end of await Promise.allSettled(ends))
      if (end.status === 'rejected')
        this.#services.log.warn({ err: asError(end.reason) }, 'a routing lease was not returned: it expires')
    await this.#listener.stop()
  }

  async reserve(request: ReservationRequest): Promise<Reservation> {
    if (this.#isStopping) throw apiError(COMMON.UNAVAILABLE, { hint: 'The service is stopping' })
    const { key, endUser, test } = request
    assert(request.wanted > 0n && request.wanted >= request.minimum, 'a reservation of nothing')
    const budgets = budgetsOf(key, endUser, this.#services.clock.now())
    return this.#accountOf(key.accountId, test).reserve(request, budgets)
  }

  record(record: UsageRecord): void {
    assert(record.cost === 0n && record.fee === 0n, 'a request that reserved nothing has a cost')
    this.#flusher.add({ record, charge: { cost: 0n, fee: 0n, borne: 0n }, paidBy: null })
  }

  /** A request that is not in the database yet. */
  findUnflushed(id: string): Entry | undefined {
    return this.#flusher.find(id)
  }

  /** How many leases this instance has, and how many usage rows wait for the database. */
  figures(): { leases: number; unflushed: number } {
    return { leases: this.leaseIds().length, unflushed: this.#flusher.size }
  }

  /** The leases of this instance. */
  leaseIds(): string[] {
    return [...this.#accounts.values()].flatMap(({ lease }) => lease?.id ?? [])
  }

  /** Writes what was spent so far; false if the database does not take it now. */
  flush(): Promise<boolean> {
    return this.#flusher.flush()
  }

  #accountOf(accountId: string, test: boolean): AccountFunds {
    const name = `${accountId} ${test ? 'test' : 'real'}`
    let account = this.#accounts.get(name)
    if (!account) {
      const { db } = this.#services
      account = new AccountFunds(accountId, test, {
        db,
        timing: this.#timing,
        add: entry => this.#flusher.add(entry),
        recall: id => this.#recall(id),
        listening: () => this.#listener.ready(),
      })
      this.#accounts.set(name, account)
    }
    return account
  }

  async #recall(accountId: string): Promise<void> {
    await this.#listener.ready()
    await this.#services.db.run(notify(CHANNEL, { kind: 'recall', accountId, from: this.#instanceId }))
  }

  /** Asks all instances to return what they do not use of an account, and waits a moment for it. */
  async recallAll(accountId: string): Promise<void> {
    const own = this.#ownOf(accountId)
    await Promise.all(own.map(account => account.giveBack()))
    const ids = own.flatMap(({ lease }) => lease?.id ?? [])
    const leases = await this.#services.db.rows(openLeasesOf(accountId))
    if (leases.every(({ id }) => ids.includes(id))) return
    await this.#recall(accountId)
    await sleep(this.#timing.recallMs)
  }

  #ownOf(accountId: string): AccountFunds[] {
    return ['test', 'real'].flatMap(kind => this.#accounts.get(`${accountId} ${kind}`) ?? [])
  }

  #receive(text: string): void {
    const message = messageOf(text)
    if (!message || message.from === this.#instanceId) return
    for (const account of this.#ownOf(message.accountId)) {
      if (message.kind === 'returned') account.hear(message.leaseId ?? '')
      else if (message.kind === 'revoked') account.lease?.lose()
      else
        account.giveBack({ isAsked: true }).catch((error: unknown) => {
          this.#services.log.warn({ err: asError(error) }, 'a routing lease could not be returned')
        })
    }
  }

  /** Renews the leases in use, and returns the others after a while. */
  async tidy(): Promise<void> {
    for (const [name, account] of this.#accounts) {
      await account.tidy()
      if (account.isIdle) this.#accounts.delete(name)
    }
    const soon = performance.now() + this.#timing.leaseMs / 2
    const leases = [...this.#accounts.values()].flatMap(({ lease }) => lease ?? [])
    const due = leases.filter(({ usableUntil }) => usableUntil < soon)
    if (!due.length) return
    const sentAt = performance.now()
    const ids = due.map(({ id }) => id)
    const rows = await this.#services.db.rows(renewLeases(ids, this.#timing.leaseMs))
    const renewed = new Set(rows.map(({ id }) => id))
    for (const lease of due)
      if (renewed.has(lease.id)) lease.renew(sentAt, this.#timing)
      else lease.lose()
  }

  /**
   * Closes leases that their instances have not renewed, and deletes what is left of budgets of the past. A lease that cannot
   * be closed is logged and left to a later sweep, so that it does not stop the others.
   */
  async sweep(): Promise<void> {
    const { db, clock } = this.#services
    const failed = this.#unclosable
    this.#unclosable = []
    for (const { id } of await db.rows(expiredLeases(SWEEP, failed))) await this.#closeExpired(id)
    for (const id of failed) await this.#closeExpired(id)
    await db.run(deleteEndedBudgets(clock.now()))
  }

  async #closeExpired(leaseId: string): Promise<void> {
    const { db, log } = this.#services
    try {
      await db.transaction(tx => closeExpired(tx, leaseId))
    } catch (err) {
      if (err instanceof DatabaseAway) throw err
      this.#unclosable.push(leaseId)
      log.error({ err, leaseId }, 'an expired routing lease cannot be closed, it will be tried again')
    }
  }
}

const KINDS = ['recall', 'returned', 'revoked'] as const

function messageOf(text: string): LeaseMessage | null {
  try {
    const message: unknown = JSON.parse(text)
    if (!isRecord(message)) return null
    const { kind, accountId, from, leaseId } = message
    const known = KINDS.find(each => each === kind)
    return known
      ? { kind: known, accountId: String(accountId), from: String(from), leaseId: String(leaseId) }
      : null
  } catch {
    return null
  }
}
