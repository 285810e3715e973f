import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  linkTo,
  mailsSettled,
  registerAdmin,
  registerHuman,
  startTestService,
  type CallOptions,
  type Instance,
  type Person,
  type TestService,
} from '#test'
import { makeKey } from '../../identity/credentials/key.ts'
import { createCatalog } from '../catalog/index.ts'
import { HeldKeys } from './ring.ts'

interface Shown {
  id: string
  key: string
  name: string
  status: string
  message: string
  hint?: string
  lastUsedAt: string | null
  limits: { rpm: number | null }
}
const PASSWORD = 'correct horse battery staple'
/** Longer than any other instance uses an old answer. */
const EVERYWHERE_MS = 1100

suite('the proof of routing keys', () => {
  let service: TestService
  let second: Instance
  let owner: Person
  before(async () => {
    service = await startTestService()
    second = await service.instance()
    owner = await registerHuman(service)
  })
  after(async () => {
    await second.close()
    await service.close()
  })
  const ask = (method: string, path: string, token: string, body?: object) =>
    service.http<Shown>(method, path, { token, body })
  const create = async (body: object = {}, { token }: Pick<Person, 'token'> = owner) =>
    (await ask('POST', '/v1/auth/keys', token, body)).body
  const shown = (key: string, where: Instance = service) =>
    where.http<Shown>('GET', '/v1/key', { token: key })
  const statuses = async (key: string) =>
    Promise.all([service, second].map(async where => (await shown(key, where)).status))

  test('a key works as a bearer and as x-api-key', async () => {
    const { id, key } = await create()
    assert.equal((await shown(key)).body.id, id)
    const { status, body } = await service.http<Shown>('GET', '/v1/key', { headers: { 'x-api-key': key } })
    assert.deepEqual([status, body.id], [200, id])
    assert.equal((await service.http('GET', '/v1/key')).status, 401)
  })

  test('an unknown or malformed key is 401 Invalid API key', async () => {
    const { key } = await create()
    const changed = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
    for (const text of ['rk_', 'rk_nonsense', changed, makeKey('rk').text]) {
      const { status, body } = await shown(text)
      assert.deepEqual([status, body.message], [401, 'Invalid API key'], text)
    }
  })

  test('another credential is 400 Invalid auth type, and so is a routing key elsewhere', async () => {
    const { key } = await create()
    const sk = await service.http<{ apiKey: string }>('POST', '/api/v1/keys', { token: owner.token })
    const hint = 'This operation takes an rk_ routing key (Authorization: Bearer or x-api-key)'
    const wrong: CallOptions[] = [
      { token: owner.token },
      { token: sk.body.apiKey },
      { headers: { 'x-api-key': sk.body.apiKey } },
      { headers: { 'x-agent-api-key': makeKey('sa').text } },
      // A header that takes no routing keys.
      { headers: { 'x-agent-api-key': key } },
    ]
    for (const options of wrong) {
      const { status, body } = await service.http<Shown>('GET', '/v1/key', options)
      assert.deepEqual([status, body.message, body.hint], [400, 'Invalid auth type', hint])
    }
    for (const [method, path, takes] of [
      ['GET', '/users/me', /takes an access token/],
      ['GET', '/agents/my-agents', /takes an access token .* or an sk_ key/],
      ['POST', '/ap2/negotiate', /takes an access token/],
      ['POST', '/v1/auth/keys', /takes an access token/],
      ['GET', '/v1/routing/config', /takes an access token/],
    ] as const) {
      const { status, body } = await ask(method, path, key, method === 'POST' ? {} : undefined)
      assert.deepEqual([status, body.message], [400, 'Invalid auth type'], path)
      assert.match(body.hint ?? '', takes)
    }
  })

  test('revocation and changes apply at once here and within a second elsewhere', async () => {
    const [narrowed, revoked] = [await create({ limits: { rpm: 100 } }), await create()]
    assert.deepEqual(
      [await statuses(narrowed.key), await statuses(revoked.key)],
      [
        [200, 200],
        [200, 200],
      ],
    )
    await ask('PATCH', `/v1/auth/keys/${narrowed.id}`, owner.token, { name: 'Narrow', limits: { rpm: 7 } })
    await ask('DELETE', `/v1/auth/keys/${revoked.id}`, owner.token)
    assert.equal((await shown(revoked.key)).status, 401)
    await sleep(EVERYWHERE_MS)
    assert.deepEqual(await statuses(revoked.key), [401, 401])
    assert.equal((await shown(narrowed.key, second)).body.limits.rpm, 7)
  })

  test('the keys of a suspended account are 403 until it is reinstated', async () => {
    const person = await registerHuman(service)
    const { key } = await create({}, person)
    const admin = await service.adminToken()
    assert.deepEqual(await statuses(key), [200, 200])
    await ask('POST', `/admin/users/${person.id}/suspend`, admin, { reason: 'Fraud' })
    const refused = await shown(key)
    assert.equal(refused.status, 403)
    await sleep(EVERYWHERE_MS)
    assert.deepEqual(await statuses(key), [403, 403])
    await ask('POST', `/admin/users/${person.id}/reinstate`, admin, { reason: 'Cleared' })
    assert.equal((await shown(key)).status, 200)
  })

  test('the keys of a deleted account are revoked, and their names erased', async () => {
    const person = await registerHuman(service)
    const { id, key } = await create({ name: 'My secret project' }, person)
    assert.deepEqual(await statuses(key), [200, 200])
    assert.equal((await ask('DELETE', '/users/me', person.token)).status, 204)
    assert.equal((await shown(key)).status, 401)
    await sleep(EVERYWHERE_MS)
    assert.deepEqual(await statuses(key), [401, 401])
    const { rows } = await service.services.db.pool.query(
      'select name, status from gateway_key where id = $1',
      [id],
    )
    assert.deepEqual(rows, [{ name: '', status: 'REVOKED' }])
  })

  test('a change of password that revokes API keys revokes routing keys', async () => {
    const person = await registerHuman(service)
    const { key } = await create({}, person)
    const change = (newPassword: string, currentPassword: string, revokeApiKeys: boolean) =>
      ask('POST', '/auth/change-password', person.token, { currentPassword, newPassword, revokeApiKeys })
    assert.ok((await change('another good password', PASSWORD, false)).status < 300)
    assert.equal((await shown(key)).status, 200)
    assert.ok((await change(PASSWORD, 'another good password', true)).status < 300)
    assert.equal((await shown(key)).status, 401)
  })

  test('who proves an address gets rid of the routing keys of its registrant', async () => {
    const registrant = await registerHuman(service)
    const { key } = await create({}, registrant)
    await service.http('POST', '/auth/magic-link/request', { body: { email: registrant.email } })
    await mailsSettled(service)
    const token = await linkTo(service, registrant.email, 'login')
    assert.ok((await service.http('POST', '/auth/magic-link/consume', { body: { token } })).status < 300)
    assert.equal((await shown(key)).status, 401)
  })

  test('an expired key is 401 and shows as EXPIRED', async () => {
    const person = await registerAdmin(service)
    const soon = new Date(service.services.clock.now().getTime() + 600_000).toISOString()
    const { id, key } = await create({ expiresAt: soon }, person)
    assert.equal((await shown(key)).status, 200)
    await service.advance(601)
    const { status, body } = await shown(key)
    assert.deepEqual([status, body.message, body.hint], [401, 'Invalid API key', 'The key has expired'])
    const list = await service.http<{ data: Shown[] }>('GET', '/v1/keys', { token: person.token })
    assert.deepEqual(
      list.body.data.map(each => [each.id, each.status]),
      [[id, 'EXPIRED']],
    )
  })

  test('the last use is noted', async () => {
    const { key } = await create()
    assert.equal((await shown(key)).body.lastUsedAt, null)
    for (let attempt = 0; (await shown(key)).body.lastUsedAt === null; attempt++) {
      assert.ok(attempt < 300, 'it was not noted within 15 s')
      await sleep(50)
    }
  })

  test('many proofs take few queries: of one key one, of wrong keys one for all that wait', async () => {
    const { db, clock, log } = service.services
    let queries = 0
    const counting = new Proxy(db, {
      get(target, name) {
        if (name !== 'rows') return Reflect.get(target, name)
        return (...args: Parameters<typeof db.rows>) => {
          queries++
          return target.rows(...args)
        }
      },
    })
    const ring = new HeldKeys({ db: counting, clock, log }, createCatalog(service.services))
    const { id, key } = await create()
    const proved = await Promise.all(Array.from({ length: 1000 }, () => ring.prove(key)))
    assert.deepEqual(new Set(proved.map(({ keyId }) => keyId)), new Set([id]))
    assert.equal(queries, 1)
    assert.equal(ring.keyOf(id).accountId, owner.id)
    const wrong = Array.from({ length: 400 }, () => makeKey('rk').text)
    const refused = await Promise.allSettled([...wrong, ...wrong].map(text => ring.prove(text)))
    assert.ok(refused.every(({ status }) => status === 'rejected'))
    // The first one is read alone, the others together.
    assert.equal(queries, 3)
    await assert.rejects(ring.prove(wrong[0] ?? ''), /Invalid API key/)
    assert.equal(queries, 3)
    ring.invalidate()
    await ring.prove(key)
    assert.equal(queries, 4)
  })
})
