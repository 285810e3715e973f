import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  holdingLocks,
  openMarket,
  publishAgent,
  registerHuman,
  sharedService,
  type Market,
  type TestService,
} from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

const ofDeletedAccounts = async (): Promise<number> => {
  const { rows } = await service.services.db.pool.query<{ open: number }>(`
    select count(*)::int as open from ap2_negotiation n join identity_account a on a.id in (n.buyer_account_id, n.seller_account_id)
    where a.status = 'DELETED' and n.status in ('PENDING', 'COUNTERED', 'ACCEPTED')`)
  return rows[0]?.open ?? -1
}

for (const side of ['buyer', 'seller'] as const) {
  test(`leaves no negotiation open that is sent while its ${side} is being deleted`, async () => {
    const leaving = await registerHuman(service)
    const agent = side === 'seller' ? await publishAgent(service, leaving) : market.agent
    const token = side === 'buyer' ? leaving.token : market.buyer.token
    const offer = { responderAgentId: agent.id, requestedService: 'x', budget: 1 }
    const [deleted, ...answers] = await Promise.all([
      service.http('DELETE', '/users/me', { token: leaving.token, body: {} }),
      ...Array.from({ length: 40 }, async (_, n) => {
        await sleep(n * 2)
        return service.http('POST', '/ap2/negotiate', { token, body: offer })
      }),
    ])
    assert.equal(deleted.status, 204, deleted.text)
    assert.deepEqual(
      answers.filter(({ status }) => status >= 500).map(({ text }) => text),
      [],
    )
    assert.equal(await ofDeletedAccounts(), 0)
  })
}

/** Every row of every table as text. */
async function dump(): Promise<string[]> {
  const { pool } = service.services.db
  const { rows: tables } = await pool.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')",
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`select '${name} ' || t::text as text from ${name} t`)
    texts.push(...rows.map(row => row.text))
  }
  return texts
}

const canaries = async () => (await dump()).filter(text => text.includes('canary') || text.includes(ADDRESS))
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'

test('erases text that is written while the account is being deleted', async () => {
  const person = await registerHuman(service)
  const agent = await publishAgent(service, person)
  const send = (method: string, url: string, body: object) =>
    service.http(method, url, {
      token: person.token,
      body,
      headers: { 'idempotency-key': url, 'x-request-id': 'canary' },
    })
  const [deleted, writes] = await holdingLocks(service, async ({ query, waiters, rollback }) => {
    await query('select from identity_account where id = $1 for update', [person.id])
    const deleted = service.http('DELETE', '/users/me', { token: person.token })
    await waiters(1)
    const writes = [
      send('PATCH', '/users/me', { displayName: 'canary' }),
      send('PATCH', `/agents/${agent.id}`, { description: 'canary' }),
      send('POST', '/api/v1/keys', { name: 'canary' }),
      send('POST', '/organizations', { slug: 'canary-works', name: 'canary' }),
      send('POST', '/ap2/negotiate', {
        responderAgentId: market.agent.id,
        requestedService: 'canary',
        budget: 1,
      }),
    ]
    await waiters(4)
    await rollback()
    return Promise.all([deleted, Promise.all(writes)])
  })
  assert.equal(deleted.status, 204)
  assert.deepEqual(
    writes.filter(({ status }) => status >= 500).map(({ text }) => text),
    [],
  )
  await service.advance(3600)
  assert.deepEqual(await canaries(), [])
})

test('erases text of a request that ends after the deletion', async () => {
  const person = await registerHuman(service)
  const send = (url: string, body: object) => service.http('POST', url, { token: person.token, body })
  const answers = await holdingLocks(service, async ({ query, waiters, rollback }) => {
    // Delays requests that insert a wallet, not the deletion.
    await query('lock table wallets_wallet in share mode')
    const writes = [
      send('/agents', { name: 'canary', description: 'canary' }),
      send('/wallets', {
        ownerType: 'USER',
        ownerId: person.id,
        currency: 'USDC',
        walletType: 'PROVIDED',
        cryptoAddress: ADDRESS,
      }),
    ]
    await waiters(2)
    assert.equal((await service.http('DELETE', '/users/me', { token: person.token })).status, 204)
    await rollback()
    return Promise.all(writes)
  })
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
    answers.map(({ text }) => text).join(),
  )
  assert.notDeepEqual(await canaries(), [])
  await service.advance(3600)
  assert.deepEqual(await canaries(), [])
})
