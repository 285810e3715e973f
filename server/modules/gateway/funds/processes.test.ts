import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { registerHuman, sharedService, type TestService } from '#test'
import { sql } from '#platform/kernel/sql'
import { creditRouting, reserveExactly, routingKey } from '../../../../test/support/gateway/funds.ts'
import type { ProcessOrder } from '../../../../test/support/gateway/funds-process.ts'
import { createFunds } from './index.ts'

const SCRIPT = join(import.meta.dirname, '../../../../test/support/gateway/funds-process.ts')
const WORST = 10_000n
const COST = 5000n
const CHARGED = 5400n

/** A process with funds of its own over the database of the service. */
class Process {
  readonly #child: ChildProcess
  #printed = ''

  constructor(order: ProcessOrder) {
    const text = JSON.stringify(order, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    this.#child = spawn(process.execPath, [SCRIPT, text], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#printed += chunk.toString()
    })
  }

  /** The first line that matches. */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#printed)
      if (found) return found
      assert.equal(this.#child.exitCode, null, `ended without ${pattern}: ${this.#printed}`)
      await Promise.race([once(this.#child.stdout!, 'data'), once(this.#child, 'exit')])
    }
  }

  go(): void {
    this.#child.stdin?.write('go\n')
  }

  async ended(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended()
  }
}

suite('funds of several processes', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  async function openAccount(amount: bigint): Promise<string> {
    const { id } = await registerHuman(service)
    await creditRouting(service.services.db, id, amount)
    return id
  }

  /** How many of 25 requests of each of two processes pass, at the same time. */
  async function raceOf(
    order: Pick<ProcessOrder, 'key' | 'endUser'>,
  ): Promise<[passed: number, refused: number]> {
    const { databaseUrl: url } = service
    const common = { url, amount: String(WORST), requests: 25, cost: String(COST), hangs: false }
    const both = [0, 1].map(() => new Process({ ...common, ...order }))
    for (const each of both) await each.line(/ready/)
    for (const each of both) each.go()
    const lines = await Promise.all(both.map(each => each.line(/passed (\d+) refused (\d+)/)))
    for (const each of both) each.go()
    for (const each of both) await each.ended()
    const total = (group: number) => lines.reduce((sum, line) => sum + Number(line[group]), 0)
    return [total(1), total(2)]
  }

  const booksOf = (accountId: string) =>
    service.services.db.one(sql<{ balance: bigint; leased: bigint; charged: bigint; rows: number }>`
      select (select balance from ledger_balance where account = ${`2041:${accountId}`}) as balance,
        (select coalesce(sum(b.balance), 0)::bigint from gateway_lease l join ledger_balance b on b.account = '2046:' || l.id where l.account_id = ${accountId}) as leased,
        (select coalesce(sum(cost + fee), 0)::bigint from gateway_usage where account_id = ${accountId}) as charged,
        (select count(*)::int from gateway_usage where account_id = ${accountId}) as rows`)

  test('exactly 7 of 50 requests pass on a balance for 7', async () => {
    const accountId = await openAccount(WORST * 7n)
    assert.deepEqual(await raceOf({ key: routingKey(accountId), endUser: null }), [7, 43])
    const { balance, leased, charged, rows } = await booksOf(accountId)
    assert.deepEqual([rows, charged, leased, balance], [7, CHARGED * 7n, 0n, WORST * 7n - CHARGED * 7n])
  })

  test('a budget for one lets one first request of a new key pass', async () => {
    const accountId = await openAccount(WORST * 100n)
    const key = routingKey(accountId, { monthlyUsd: WORST })
    assert.deepEqual(await raceOf({ key, endUser: null }), [1, 49])
  })

  test('a budget for one lets one first request of a new end user pass', async () => {
    const accountId = await openAccount(WORST * 100n)
    const key = routingKey(accountId, { endUserDailyUsd: WORST })
    assert.deepEqual(await raceOf({ key, endUser: 'new' }), [1, 49])
  })

  test('kill -9 loses nothing that was flushed, and the rest returns', async () => {
    const { db } = service.services
    const accountId = await openAccount(WORST * 40n)
    const key = routingKey(accountId)
    const order = { url: service.databaseUrl, key, endUser: null, amount: String(WORST), cost: String(COST) }
    const killed = new Process({ ...order, requests: 20, hangs: true })
    await killed.line(/ready/)
    killed.go()
    await killed.line(/passed/)
    killed.go()
    await killed.line(/answered/)
    await killed.kill()
    const left = await booksOf(accountId)
    // Another one was answered: it is charged if its flush came before the end.
    assert.ok(left.rows === 20 || left.rows === 21, `${left.rows} rows`)
    assert.equal(left.charged, CHARGED * BigInt(left.rows))
    assert.equal(left.balance + left.leased + left.charged, WORST * 40n)
    await db.run(sql`update gateway_lease set expires_at = clock_timestamp() where account_id = ${accountId}`)
    const survivor = createFunds(service.services)
    await survivor.sweep()
    const { balance, leased } = await booksOf(accountId)
    assert.deepEqual([leased, balance], [0n, WORST * 40n - left.charged])
    const rest = await reserveExactly(survivor, key, balance)
    rest.release()
    await survivor.stop()
  })
})
