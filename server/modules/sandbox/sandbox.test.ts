import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { freePort, registerHuman, startTestService, type TestService } from '#test'
import { startService } from '#app'

interface Clock {
  now: string
  offsetSeconds: number
  ran: number
}
const DAY = 86_400

let service: TestService
let admin: string
before(async () => {
  service = await startTestService()
  admin = await service.adminToken()
})
after(() => service.close())

const clock = async () => (await service.http<Clock>('GET', '/sandbox/clock')).body
const advance = (seconds: unknown, token = admin) =>
  service.http<Clock>('POST', '/sandbox/clock/advance', { token, body: { seconds } })

describe('the clock', () => {
  test('moves ahead by exactly what an admin says, and never back', async () => {
    const before = await clock()
    const { status, body } = await advance(1000)
    assert.deepEqual([status, body.offsetSeconds - before.offsetSeconds], [200, 1000])
    assert.ok(new Date(body.now).getTime() - new Date(before.now).getTime() >= 1_000_000)
    for (const seconds of [0, -1, '5', null, 1e12])
      assert.equal((await advance(seconds)).status, 400, String(seconds))
    const person = await registerHuman(service)
    assert.equal((await advance(5, person.token)).status, 403)
    assert.equal((await service.http('POST', '/sandbox/clock/advance', { body: { seconds: 5 } })).status, 401)
  })

  test('runs what falls due on the way, each at its own time, before it answers', async () => {
    const person = await registerHuman(service)
    const open = () =>
      service.http('POST', `/wallets/${person.walletId}/fund`, {
        token: person.token,
        body: { amount: 5, rail: 'checkout' },
      })
    assert.equal((await open()).status, 201)
    await advance(DAY / 2)
    assert.equal((await open()).status, 201)
    assert.ok((await advance(2 * DAY)).body.ran >= 2)
    const { rows } = await service.services.db.pool.query<{ late: number }>(
      `
      select extract(epoch from h.at - i.expires_at)::float8 as late
      from payments_intent i join payments_intent_history h on h.subject_id = i.id and h.event = 'expire' where i.account_id = $1`,
      [person.id],
    )
    assert.equal(rows.length, 2)
    for (const { late } of rows) assert.ok(late >= 0 && late < 60, `served ${late} s after its deadline`)
  })

  test('is one for all instances and outlives them', async () => {
    const port = await freePort()
    const { config, db } = service.services
    const url = (db.pool as unknown as { options: { connectionString: string } }).options.connectionString
    const second = await startService({ ...config, PORT: port }, url)
    try {
      const offset = async () =>
        ((await (await fetch(`http://127.0.0.1:${port}/sandbox/clock`)).json()) as Clock).offsetSeconds
      assert.equal(await offset(), (await clock()).offsetSeconds, 'it starts with the offset that is stored')
      const { body } = await advance(3 * DAY)
      const deadline = Date.now() + 30_000
      while ((await offset()) !== body.offsetSeconds)
        assert.ok(Date.now() < deadline, 'the other instance does not follow')
    } finally {
      await second.stop()
    }
  })
})

describe('the pages for the verifier', () => {
  test('load, are missing, or lead inside', async () => {
    const ok = await service.http('GET', '/sandbox/pages/ok')
    assert.deepEqual([ok.status, ok.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    const missing = await service.http('GET', '/sandbox/pages/missing')
    assert.deepEqual([missing.status, missing.headers.get('content-type')], [404, 'text/html; charset=utf-8'])
    const inside = await service.http('GET', '/sandbox/pages/redirect-private')
    assert.deepEqual([inside.status, inside.headers.get('location')], [302, 'http://10.0.0.1/'])
  })

  test('the slow one answers nothing for seconds and lets go of a caller that leaves', async () => {
    const outcome = await new Promise<string>((resolve, reject) => {
      const call = request(`${service.baseUrl}/sandbox/pages/slow`, () => {
        resolve('answered')
      })
      call.on('error', error =>
        (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? resolve('gone') : reject(error),
      )
      call.on('socket', () => setTimeout(() => call.destroy(), 300))
      call.end()
    })
    assert.equal(outcome, 'gone')
  })
})

describe('events of the processor', () => {
  test('reach our own webhooks signed, as often as asked', async () => {
    const sent = await service.http<{ id: string; delivered: boolean }>('POST', '/sandbox/processor/events', {
      token: admin,
      body: { type: 'payout.paid', data: { id: 'po_1' }, copies: 5 },
    })
    assert.deepEqual([sent.status, sent.body.delivered], [201, true])
    const { rows } = await service.services.db.pool.query(
      'select endpoint, outcome from payments_event where id = $1',
      [sent.body.id],
    )
    assert.deepEqual(rows, [{ endpoint: 'payout-updated', outcome: 'unmatched' }], 'no payout of ours')
  })

  test("are an admin's to send, and must be events", async () => {
    const person = await registerHuman(service)
    const post = async (body: unknown, token = admin) =>
      (await service.http('POST', '/sandbox/processor/events', { token, body })).status
    assert.equal(await post({ type: 'x', data: {} }, person.token), 403)
    for (const body of [
      {},
      { type: 'x' },
      { type: '', data: {} },
      { type: 'x', data: { object: 5 } },
      { type: 'x', data: {}, copies: 0 },
      { type: 'x', data: {}, delayMs: -1 },
    ]) {
      assert.equal(await post(body), 400, JSON.stringify(body))
    }
  })
})

test('production has none of it', async () => {
  const production = await startTestService({
    SVC_MODE: 'production',
    PUBLIC_URL: 'https://svc.example.com',
    STRIPE_WEBHOOK_SECRET: 'whsec_3f1c3f1c3f1c3f1c3f1c3f1c3f1c',
    SMTP_URL: 'smtp://127.0.0.1:9',
    VERIFIER_ALLOW_PRIVATE: '',
  })
  try {
    const token = await production.adminToken()
    for (const [method, path] of [
      ['GET', '/sandbox/clock'],
      ['POST', '/sandbox/clock/advance'],
      ['GET', '/sandbox/pages/ok'],
      ['GET', '/sandbox/checkout/x'],
      ['POST', '/sandbox/checkout/x'],
      ['POST', '/sandbox/processor/events'],
    ] as const)
      assert.equal(
        (await production.http(method, path, { token, ...(method === 'POST' ? { body: {} } : {}) })).status,
        404,
        path,
      )
    const person = await registerHuman(production)
    const { status, body } = await production.http<{ transaction: { status: string } }>(
      'POST',
      `/wallets/${person.walletId}/fund`,
      { token: person.token, body: { amount: 5, paymentMethodId: 'pm_card_visa' } },
    )
    // Its processor is not there: the outcome will be asked for.
    assert.deepEqual([status, body.transaction.status], [201, 'PENDING'])
  } finally {
    await production.close()
  }
})
