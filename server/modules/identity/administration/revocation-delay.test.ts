import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  call,
  freePort,
  publishAgent,
  registerHuman,
  startServerProcess,
  sharedService,
  type TestService,
} from '#test'

interface Refusal {
  message: string
  status: string
  role: string
}

suite('how soon a revocation takes effect', () => {
  let service: TestService
  let admin: string
  before(async () => {
    service = await sharedService()
    admin = await service.adminToken()
  })
  after(() => service.close())

  const perform = (id: string, action: string, body: object = { reason: 'Fraud' }, token = admin) =>
    service.http<Refusal>('POST', `/admin/users/${id}/${action}`, { token, body })

  test('suspension, revocation and deletion reach other processes within a second', async () => {
    const person = await registerHuman(service)
    const [own, listed, handed] = [
      await publishAgent(service, person),
      await publishAgent(service, await registerHuman(service)),
      await publishAgent(service, await registerHuman(service)),
    ]
    const leaving = await registerHuman(service)
    const keyOf = async ({ token }: { token: string }) =>
      (await service.http<{ apiKey: string }>('POST', '/api/v1/keys', { token, body: { name: 'Key' } })).body
        .apiKey
    const [key, leavingKey] = [await keyOf(person), await keyOf(leaving)]
    const second = await startServerProcess({
      PORT: String(await freePort()),
      DATABASE_URL: String(service.services.db.pool.options.connectionString),
      SVC_DATA_DIR: service.services.dataDir,
    })
    try {
      const get = async (path: string, options: object) =>
        (await call(second.baseUrl + path, 'GET', options)).status
      const there = async () => ({
        token: await get('/users/me', { token: person.token }),
        key: await get('/agents/my-agents', { token: key }),
        agentKey: await get(`/agents/${own.id}/inbox`, { headers: { 'x-agent-api-key': own.apiKey } }),
        suspendedAgent: await get(`/agents/${listed.id}/inbox`, {
          headers: { 'x-agent-api-key': listed.apiKey },
        }),
        revokedKey: await get(`/agents/${handed.id}/inbox`, {
          headers: { 'x-agent-api-key': handed.apiKey },
        }),
        deleted: await get('/users/me', { token: leaving.token }),
        deletedKey: await get('/agents/my-agents', { token: leavingKey }),
      })
      assert.deepEqual(new Set(Object.values(await there())), new Set([200]))
      await perform(person.id, 'suspend')
      await service.http('POST', `/admin/agents/${listed.id}/suspend`, { token: admin, body: {} })
      await service.http('POST', `/agents/${handed.id}/revoke-key`, { token: handed.owner.token })
      await service.http('DELETE', '/users/me', { token: leaving.token })
      await sleep(1100)
      assert.deepEqual(await there(), {
        token: 403,
        key: 403,
        agentKey: 403,
        suspendedAgent: 403,
        revokedKey: 401,
        deleted: 401,
        deletedKey: 401,
      })
    } finally {
      await second.end('SIGTERM')
    }
  })
})
