import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  call,
  createTestDatabase,
  freePort,
  startServerProcess,
  type Answer,
  type ServerProcess,
  type TestDatabase,
} from '#test'
import { patiently } from './patient.ts'

const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' }
const PARALLEL = 8

interface Funded {
  transaction: { status: string }
  wallet: { available: string }
}
interface Payer {
  token: string
  walletId: string
  key: string
}

/**
 * The card processor goes away and the server is killed, before and after the money was taken; callers send what they
 * sent again, many at a time. Each card is charged exactly once, and every charge is credited.
 */
suite('kill -9 of the server while a card is charged', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let dataDir: string
  let env: Record<string, string> & { PORT: string }
  let server: ServerProcess
  let admin: string

  before(async () => {
    database = await createTestDatabase()
    pool = new pg.Pool({ connectionString: database.url, max: 2 })
    dataDir = await mkdtemp(join(tmpdir(), 'svc-card-'))
    env = {
      PORT: String(await freePort()),
      DATABASE_URL: database.url,
      SVC_DATA_DIR: dataDir,
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
    }
    server = await startServerProcess(env)
    admin = (await must<{ accessToken: string }>('POST', '/auth/login', { body: ADMIN })).accessToken
  })
  after(async () => {
    await server.end('SIGTERM')
    await pool.end()
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const http = <Body>(
    method: string,
    path: string,
    options: Parameters<typeof call>[2] = {},
  ): Promise<Answer<Body>> => call<Body>(server.baseUrl + path, method, options)

  async function must<Body>(...request: Parameters<typeof http>): Promise<Body> {
    const answer = await patiently(() => http<Body>(...request))
    assert.ok(answer.status < 300, `${request[0]} ${request[1]}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  async function payer(name: string): Promise<Payer> {
    const body = { email: `${name}@example.com`, displayName: name, password: 'correct horse battery' }
    const { user, accessToken: token } = await must<{ user: { id: string }; accessToken: string }>(
      'POST',
      '/auth/register',
      { body },
    )
    const { id: walletId } = await must<{ id: string }>('GET', `/wallets/user/${user.id}`, { token })
    return { token, walletId, key: randomUUID() }
  }

  const pay = ({ token, walletId, key }: Payer) =>
    http<Funded>('POST', `/wallets/${walletId}/fund`, {
      token,
      headers: { 'idempotency-key': key },
      body: { amount: 50 },
    })
  const outage = (body: object) => must('POST', '/sandbox/processor/faults', { token: admin, body })
  const advance = (seconds: number) =>
    must('POST', '/sandbox/clock/advance', { token: admin, body: { seconds } })
  const charges = async ({ walletId }: Payer) =>
    (
      await pool.query(
        "select from platform_processor_object where kind = 'payment_intent' and status = 'succeeded' and body->>'description' = $1",
        [`Wallet ${walletId}`],
      )
    ).rowCount
  const statuses = async ({ walletId }: Payer) =>
    (
      await pool.query<{ status: string }>('select status from payments_intent where reference = $1', [
        walletId,
      ])
    ).rows.map(row => row.status)
  const available = async ({ token, walletId }: Payer) =>
    (await must<{ available: string }>('GET', `/wallets/${walletId}`, { token })).available

  async function until(what: string, condition: () => Promise<boolean>, seconds = 30): Promise<void> {
    for (const deadline = Date.now() + seconds * 1000; !(await condition()); await sleep(50))
      assert.ok(Date.now() < deadline, `not in ${seconds} s: ${what}`)
  }

  /** Sends the request again, many times at once, until it is answered for good. */
  async function insist(from: Payer): Promise<void> {
    await until(
      `the payment of ${from.walletId} is answered`,
      async () => {
        const answers = await Promise.all(Array.from({ length: PARALLEL }, () => pay(from)))
        for (const { status, text } of answers)
          assert.ok(status === 201 || status === 409, `${status} ${text}`)
        await sleep(500)
        return answers.some(({ body }) => body.transaction?.status === 'COMPLETED')
      },
      60,
    )
  }

  test(
    'each is charged once and credited, whoever asks again, and nobody else is charged',
    { timeout: 140_000 },
    async () => {
      const [early, paid, left, unlucky] = [
        await payer('before'),
        await payer('after'),
        await payer('left'),
        await payer('unlucky'),
      ]
      const cutOff: Promise<unknown>[] = []
      // Two are cut off before the processor has heard of them, two when it has the money and no answer and no notification came.
      for (const [kind, who] of [
        ['not_reached', early],
        ['answer_lost', paid],
        ['answer_lost', left],
        ['not_reached', unlucky],
      ] as const) {
        await outage({ kind, count: 1, delayMs: 60_000, silent: true })
        cutOff.push(
          pay(who).then(
            () => assert.fail('the kill came too late'),
            () => undefined,
          ),
        )
        await until(
          `${kind} is met`,
          async () =>
            (await pool.query('select from platform_processor_fault where remaining > 0')).rowCount === 0,
        )
      }
      await until(
        'the money is taken',
        async () => (await charges(paid)) === 1 && (await charges(left)) === 1,
      )
      await server.end('SIGKILL')
      await Promise.all(cutOff)
      assert.deepEqual([await charges(early), await charges(unlucky)], [0, 0])

      server = await startServerProcess(env)
      await outage({ kind: 'not_reached', count: 1 })
      await outage({ kind: 'answer_lost', count: 1, silent: true })
      const sweep = async () => {
        // In steps that stay within the hour in which a request may be sent again.
        for (let step = 0; step < 12 && (await statuses(left))[0] !== 'SUCCEEDED'; step++) {
          await advance(130)
          await sleep(2000)
        }
      }
      await Promise.all([insist(early), insist(paid), sweep()])
      for (const who of [paid, left, early]) {
        assert.deepEqual(
          [await charges(who), await statuses(who), await available(who)],
          [1, ['SUCCEEDED'], '50.00'],
        )
      }

      await advance(3 * 3600)
      await until(
        'the payment that never was is ended',
        async () => (await statuses(unlucky))[0] === 'EXPIRED',
      )
      assert.deepEqual([await charges(unlucky), await available(unlucky)], [0, '0.00'])
      const check = spawnSync('bin/svc', ['ledger', 'check'], {
        env: { PATH: process.env.PATH, DATABASE_URL: database.url, SVC_DATA_DIR: dataDir },
        encoding: 'utf8',
      })
      assert.equal(check.status, 0, check.stdout + check.stderr)
    },
  )
})
