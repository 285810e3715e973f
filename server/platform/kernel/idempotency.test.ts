import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { newId } from '#platform/kernel/id'
import { sweepIdempotency } from '#platform/kernel/idempotency'
import {
  fund,
  heldDeal,
  openMarket,
  registerHuman,
  sharedService,
  type Market,
  type Person,
  type TestService,
} from '#test'

let service: TestService
let payer: Person
let receiver: Person
before(async () => {
  service = await sharedService()
  payer = await registerHuman(service)
  receiver = await registerHuman(service)
  await fund(service, payer, 100)
})
after(() => service.close())

const send = (key: string, body: object | string) =>
  service.http<{ code: string; transaction: { id: string } }>('POST', `/wallets/${payer.walletId}/transfer`, {
    token: payer.token,
    headers: { 'idempotency-key': key },
    body,
  })
const order = () => ({ toWalletId: receiver.walletId, amount: 1 })

test('an answered key replays to many requests at once, and refuses another body at once', async () => {
  const key = newId()
  const first = await send(key, order())
  assert.equal(first.status, 201)
  for (let round = 0; round < 5; round++) {
    const replays = await Promise.all(Array.from({ length: 8 }, () => send(key, order())))
    assert.deepEqual(
      replays.map(({ status, headers, body }) => [
        status,
        headers.get('idempotency-replayed'),
        body.transaction.id,
      ]),
      replays.map(() => [201, 'true', first.body.transaction.id]),
    )
    const others = await Promise.all(Array.from({ length: 8 }, () => send(key, { ...order(), amount: 2 })))
    assert.deepEqual(
      others.map(({ status }) => status),
      others.map(() => 422),
    )
  }
})

test('the order of fields and white space do not matter, the type of a value does', async () => {
  const key = newId()
  const { toWalletId } = order()
  assert.equal((await send(key, `{"toWalletId": "${toWalletId}", "amount": 1, "memo": "a"}`)).status, 201)
  const same = await send(key, `{"memo":"a","amount":1.0,"toWalletId":"${toWalletId}"}`)
  assert.deepEqual([same.status, same.headers.get('idempotency-replayed')], [201, 'true'])
  assert.equal((await send(key, { toWalletId, amount: '1', memo: 'a' })).status, 422)
})

test('a request that runs is a 409 that says when to try again', async () => {
  const key = newId()
  const client = await service.services.db.pool.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `${payer.id} POST /wallets/:id/transfer ${key}`,
    ])
    const { status, body, headers } = await send(key, order())
    assert.deepEqual([status, body.code, headers.get('retry-after')], [409, 'IDEMPOTENCY_RUNNING', '1'])
  } finally {
    await client.query('rollback')
    client.release()
  }
  assert.equal((await send(key, order())).status, 201)
})

test('a delivery that was cut off is continued by the same key once its claim has ended, as the same attempt', async () => {
  const market: Market = await openMarket(service)
  const { id: negotiationId } = await heldDeal(market)
  const key = newId()
  const deliver = () =>
    service.http<{ code: string; deliveryId: string }>('POST', '/ap2/deliver', {
      headers: { 'x-agent-api-key': market.agent.apiKey, 'idempotency-key': key },
      body: { negotiationId, result: 'done' },
    })
  const first = await deliver()
  assert.equal(first.status, 201)
  const { pool } = service.services.db
  const stored = await pool.query<{ subject_id: string }>(
    'select subject_id from platform_idempotency where key = $1',
    [key],
  )
  // As if the process had died between the verdict and the stored response.
  const cutOff = (left: string) =>
    pool.query(
      'update platform_idempotency set status = null, body = null, running_until = now() + $2::interval where key = $1',
      [key, left],
    )
  await cutOff('1 minute')
  const running = await deliver()
  assert.deepEqual(
    [running.status, running.body.code, running.headers.get('retry-after')],
    [409, 'IDEMPOTENCY_RUNNING', '5'],
  )
  await cutOff('-1 second')
  const resumed = await deliver()
  assert.deepEqual(
    [resumed.status, resumed.headers.get('idempotency-replayed'), resumed.text],
    [201, null, first.text],
  )
  const { rows } = await pool.query<{ id: string }>('select id from ap2_delivery where negotiation_id = $1', [
    negotiationId,
  ])
  assert.deepEqual(
    rows.map(({ id }) => id),
    [stored.rows[0]?.subject_id],
  )
  assert.equal((await deliver()).headers.get('idempotency-replayed'), 'true')
})

test('the claim of a running delivery lasts ten seconds, and is renewed as long as it runs', async () => {
  const market = await openMarket(service)
  const { id: negotiationId } = await heldDeal(market)
  const key = newId()
  // The verifier waits for this page: until then the claim is that of a running request.
  const { promise: isSeen, resolve: show } = Promise.withResolvers<void>()
  const site = createServer((_request, response) => {
    void isSeen.then(() => response.setHeader('content-type', 'text/plain').end('notes'))
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  const { port } = site.address() as AddressInfo
  const delivering = service.http('POST', '/ap2/deliver', {
    headers: { 'x-agent-api-key': market.agent.apiKey, 'idempotency-key': key },
    body: { negotiationId, deliverableUrl: `http://127.0.0.1:${port}/notes.txt` },
  })
  const first = await claimAfter(key, new Date(0))
  const second = await claimAfter(key, first.runningUntil)
  show()
  for (const { left } of [first, second]) assert.ok(left <= 10, String(left))
  assert.equal((await delivering).status, 201)
  site.closeAllConnections()
  site.close()
})

/** The claim of a request once it lasts longer than until `runningUntil`; `left` are seconds. */
async function claimAfter(key: string, runningUntil: Date): Promise<{ runningUntil: Date; left: number }> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
    const { rows } = await service.services.db.pool.query<{ runningUntil: Date; left: number }>(
      `select running_until as "runningUntil", extract(epoch from running_until - now())::float8 as left
       from platform_idempotency where key = $1 and running_until > $2`,
      [key, runningUntil],
    )
    if (rows[0]) return rows[0]
    await setTimeout(50)
  }
  throw new Error('the claim was not renewed')
}

test('of several claims of a new key one succeeds, also where the first ends while the others begin', async () => {
  const clients = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const client = new pg.Client({ connectionString: service.databaseUrl })
      await client.connect()
      return client
    }),
  )
  /** Claims, stores and commits in one round trip: as short as a request can be. */
  const claim = (client: pg.Client, key: string) =>
    client
      .query(
        `select platform_claim_new_key('claims', '${key}', now());
        insert into platform_idempotency (scope, key, request_hash, status, body, created_at, expires_at)
          values ('claims', '${key}', 'hash', 201, '{}', now(), now() + interval '1 hour')
          on conflict (scope, key) do update set status = 200`,
      )
      .then(
        () => 1,
        (error: { code?: string }) => {
          assert.equal(error.code, 'SVC01')
          return 0
        },
      )
  try {
    for (let round = 0; round < 500; round++) {
      const key = newId()
      const claims = await Promise.all(clients.map(client => claim(client, key)))
      assert.equal(
        claims.reduce<number>((sum, one) => sum + one, 0),
        1,
        `round ${round}`,
      )
    }
  } finally {
    for (const client of clients) await client.end()
  }
})

test('a sweep ends all keys whose time has passed, batch by batch, and no other', async () => {
  const { db } = service.services
  await db.pool.query(`
    insert into platform_idempotency (scope, key, request_hash, status, body, created_at, expires_at)
    select 'sweep', i::text, 'hash', 201, '{}', now(), now() + case when i <= 12000 then '-1 second' else '1 hour' end::interval
    from generate_series(1, 12003) i`)
  await Promise.all([sweepIdempotency(db, new Date()), sweepIdempotency(db, new Date())])
  const { rows } = await db.pool.query(
    "select key from platform_idempotency where scope = 'sweep' order by key",
  )
  assert.deepEqual(rows, [{ key: '12001' }, { key: '12002' }, { key: '12003' }])
})

test('the sweep and the deletion of an account read an index, whatever the collation of the database', async () => {
  const { pool } = service.services.db
  const client = await pool.connect()
  try {
    await client.query('set enable_seqscan = off')
    const indexOf = async (condition: string) => {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain delete from platform_idempotency where ${condition}`,
      )
      return /on (platform_idempotency_\w+)/.exec(rows.map(row => row['QUERY PLAN']).join('\n'))?.[1]
    }
    assert.equal(await indexOf(`left(scope, 36) collate "C" = 'an id'`), 'platform_idempotency_account')
    assert.equal(await indexOf('expires_at <= now()'), 'platform_idempotency_expiry')
  } finally {
    client.release(true)
  }
})
