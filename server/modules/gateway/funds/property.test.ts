import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { registerHuman, sharedService, type TestService } from '#test'
import {
  creditRouting,
  reserveExactly,
  routingKey,
  usageRecord,
} from '../../../../test/support/gateway/funds.ts'
import { Bindings } from '#platform/kernel/bindings'
import { createPool } from '#platform/kernel/database/pool'
import { Db } from '#platform/kernel/db'
import { ApiError } from '#platform/kernel/errors'
import { sql } from '#platform/kernel/sql'
import type { Reservation } from '../core/funds.ts'
import type { RoutingKey } from '../core/key.ts'
import { createFunds, type InstanceFunds } from './index.ts'
import { chargeOf } from './plan.ts'
import { TIMING } from './timing.ts'

const START = 1000n
const BUDGET = 300n
const STEPS = 60
/** Instances answer each other at once, and nothing is flushed or returned but by a step of the test. */
const TIMES = { ...TIMING, recallMs: 30_000, flushMs: 3_600_000, flushRows: 1_000_000, idleMs: 0, stopMs: 0 }
/** Later than the clock of the service, whose sweep deletes what is left of budgets of the past. */
const NOON = new Date('2099-03-02T12:00:00Z')

/** Numbers from 0 to below 1 (mulberry32), the same for each seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Open {
  key: RoutingKey
  amount: bigint
  reservation: Reservation
}

interface Member {
  funds: InstanceFunds
  db: Db
  open: Open[]
  /** Charged and not flushed, by the id of the key. */
  unflushed: [keyId: string, charged: bigint][]
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** Three instances of one account, and what the books must say about them. */
class Trial {
  readonly #service: TestService
  readonly #accountId: string
  readonly #keys: readonly RoutingKey[]
  readonly #random: () => number
  readonly #members: Member[] = []
  /** In the database, by the id of the key. */
  #charged: [keyId: string, charged: bigint][] = []
  /** Leases of instances that crashed, not swept yet. */
  #lost: string[] = []

  constructor(service: TestService, accountId: string, seed: number) {
    this.#service = service
    this.#accountId = accountId
    this.#keys = [routingKey(accountId), routingKey(accountId, { dailyUsd: BUDGET })]
    this.#random = randomOf(seed)
    for (let n = 0; n < 3; n++) this.#join()
  }

  #join(): void {
    const { log } = this.#service.services
    const clock = { now: () => NOON, real: () => new Date() }
    const db = new Db(createPool(this.#service.databaseUrl, 4), { clock, bindings: new Bindings() })
    this.#members.push({ funds: createFunds({ db, clock, log }, TIMES), db, open: [], unflushed: [] })
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)]
  }

  #amount(most: bigint): bigint {
    return BigInt(Math.floor(this.#random() * Number(most))) + 1n
  }

  async step(): Promise<void> {
    const member = this.#pick(this.#members)
    assert.ok(member)
    const steps = [
      () => this.#reserve(member),
      () => this.#reserve(member),
      () => this.#reserve(member),
      () => this.#settle(member),
      () => this.#settle(member),
      () => this.#release(member),
      () => this.#flush(member),
      () => member.funds.tidy(),
      () => this.#sweep(member),
      () => this.#crash(member),
    ]
    await this.#pick(steps)?.()
    await this.#assertBooks()
  }

  async #reserve(member: Member): Promise<void> {
    const key = this.#pick(this.#keys)
    assert.ok(key)
    const amount = this.#amount(200n)
    const used = (keyId?: string) => {
      const mine = (id: string) => keyId === undefined || id === keyId
      const charged = [...this.#charged, ...this.#members.flatMap(({ unflushed }) => unflushed)]
      return (
        sum(charged.filter(([id]) => mine(id)).map(([, each]) => each)) +
        sum(
          this.#members
            .flatMap(({ open }) => open)
            .filter(each => mine(each.key.id))
            .map(each => each.amount),
        )
      )
    }
    const isCovered =
      amount <= START - used() &&
      (key.limits.dailyUsd === null || amount <= key.limits.dailyUsd - used(key.id))
    const reservation = await reserveExactly(member.funds, key, amount).catch((error: unknown) => {
      assert.ok(error instanceof ApiError && error.row.status === 402, String(error))
      return null
    })
    if (reservation) {
      assert.ok(isCovered, 'more was reserved than there is')
      member.open.push({ key, amount, reservation })
    } else assert.ok(!isCovered || this.#lost.length, 'a covered request was refused')
  }

  async #settle({ open, unflushed, funds }: Member): Promise<void> {
    const each = this.#take(open)
    if (!each) return
    const record = usageRecord(each.key, this.#amount((each.amount * 5n) / 4n), { at: NOON })
    each.reservation.settle(record)
    const { cost, fee } = chargeOf(each.amount, record)
    unflushed.push([each.key.id, cost + fee])
    assert.equal(funds.findUnflushed(record.id)?.charge.cost, cost)
  }

  async #release({ open }: Member): Promise<void> {
    this.#take(open)?.reservation.release()
  }

  #take(open: Open[]): Open | undefined {
    const place = Math.floor(this.#random() * open.length)
    return open.splice(place, 1)[0]
  }

  async #flush(member: Member): Promise<void> {
    assert.ok(await member.funds.flush())
    this.#charged.push(...member.unflushed.splice(0))
  }

  async #sweep({ funds }: Member): Promise<void> {
    await funds.sweep()
    this.#lost = []
  }

  /** Its open requests end without a record, and what it has not flushed is lost; its leases expire. */
  async #crash(member: Member): Promise<void> {
    const leases = member.funds.leaseIds()
    await member.db.pool.close()
    await member.funds.stop()
    this.#members.splice(this.#members.indexOf(member), 1)
    this.#lost.push(...leases)
    await this.#service.services.db.run(
      sql`update gateway_lease set expires_at = clock_timestamp() where id = any(${leases}::uuid[])`,
    )
    this.#join()
  }

  async #figures() {
    return this.#service.services.db.one(sql<{
      balance: bigint
      leased: bigint
      charged: bigint
      spent: bigint
      allotted: bigint
    }>`
      select (select balance from ledger_balance where account = ${`2041:${this.#accountId}`}) as balance,
        (select coalesce(sum(b.balance), 0)::bigint from gateway_lease l join ledger_balance b on b.account = '2046:' || l.id where l.account_id = ${this.#accountId}) as leased,
        (select coalesce(sum(cost + fee), 0)::bigint from gateway_usage where account_id = ${this.#accountId}) as charged,
        (select coalesce(sum(spent), 0)::bigint from gateway_budget where account_id = ${this.#accountId}) as spent,
        (select coalesce(sum(allotted), 0)::bigint from gateway_budget where account_id = ${this.#accountId}) as allotted`)
  }

  async #assertBooks(): Promise<void> {
    const { balance, leased, charged, spent } = await this.#figures()
    assert.equal(balance + leased + charged, START)
    assert.equal(charged, sum(this.#charged.map(([, each]) => each)))
    assert.ok(spent <= BUDGET)
  }

  async end(): Promise<void> {
    for (const member of this.#members) {
      for (const { reservation } of member.open.splice(0)) reservation.release()
      await this.#flush(member)
      await member.funds.stop()
      await member.db.pool.close()
    }
    const sweeper = createFunds(this.#service.services)
    await sweeper.sweep()
    const { balance, leased, charged, spent, allotted } = await this.#figures()
    const limited = this.#keys[1]?.id
    const ofLimited = sum(this.#charged.filter(([id]) => id === limited).map(([, each]) => each))
    assert.deepEqual([leased, allotted, spent], [0n, 0n, ofLimited])
    assert.equal(balance, START - charged)
  }
}

suite('any order of requests, flushes, crashes and sweeps', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  for (const seed of [1, 2, 3, 4])
    test(`serves what the balance and the budget cover, and balances (seed ${seed})`, async () => {
      const { id } = await registerHuman(service)
      await creditRouting(service.services.db, id, START)
      const trial = new Trial(service, id, seed)
      for (let step = 0; step < STEPS; step++) await trial.step()
      await trial.end()
    })
})
