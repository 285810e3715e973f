import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import {
  publishAgent,
  registerHuman,
  startTestService,
  type ListedAgent,
  type Person,
  type TestService,
} from '#test'

interface Status {
  slug: string
  connected: boolean
  endpoint: string | null
  reachable: boolean
  lastCheckedAt: string | null
  latencyMs: number | null
  protocolVersion: string | null
}

let service: TestService
let owner: Person
let asked = 0
const endpoint = createServer((request, response) => {
  asked++
  response.writeHead(request.url === '/broken' ? 503 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ protocolVersion: '1.0' }))
})
const secret = createServer((_, response) => {
  asked++
  response.end()
})
const listen = (server: typeof endpoint) =>
  new Promise<number>(resolve =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )

let open: string
let closed: string
before(async () => {
  const ports = [await listen(endpoint), await listen(secret)]
  open = `http://127.0.0.1:${ports[0]}`
  closed = `http://127.0.0.1:${ports[1]}`
  service = await startTestService({ VERIFIER_ALLOW_PRIVATE: `127.0.0.1:${ports[0]}` })
  owner = await registerHuman(service)
})
after(async () => {
  endpoint.close()
  secret.close()
  await service.close()
})

const statusOf = async ({ slug }: Pick<ListedAgent, 'slug'>) => {
  const { status, body, text } = await service.http<Status>('GET', `/agents/ap2-status?slug=${slug}`)
  assert.equal(status, 200, text)
  return body
}

test('asks the endpoint of an agent once a minute, however many callers there are', async () => {
  const agent = await publishAgent(service, owner, { ap2Endpoint: `${open}/ap2` })
  asked = 0
  const answers = await Promise.all(Array.from({ length: 5 }, () => statusOf(agent)))
  assert.equal(asked, 1)
  for (const { lastCheckedAt, latencyMs, ...rest } of answers) {
    assert.ok(lastCheckedAt && !Number.isNaN(Date.parse(lastCheckedAt)))
    assert.ok(latencyMs !== null && latencyMs >= 0)
    assert.deepEqual(rest, {
      slug: agent.slug,
      connected: true,
      endpoint: `${open}/ap2`,
      reachable: true,
      protocolVersion: '1.0',
    })
  }
})

test('never asks a private address, and does not reveal why an endpoint is out of reach', async () => {
  asked = 0
  const hidden = await statusOf(await publishAgent(service, owner, { ap2Endpoint: `${closed}/` }))
  const nothing = await statusOf(await publishAgent(service, owner, { ap2Endpoint: 'http://127.0.0.1:1/' }))
  assert.equal(asked, 0)
  for (const { connected, reachable, latencyMs, protocolVersion } of [hidden, nothing])
    assert.deepEqual([connected, reachable, latencyMs, protocolVersion], [false, false, null, null])
})

test('an endpoint that answers 503 is not reachable', async () => {
  const agent = await publishAgent(service, owner, { ap2Endpoint: `${open}/broken` })
  assert.equal((await statusOf(agent)).reachable, false)
})

test('an agent without an endpoint is connected while it sends heartbeats', async () => {
  const agent = await publishAgent(service, owner)
  const { connected, endpoint: none, lastCheckedAt } = await statusOf(agent)
  assert.deepEqual([connected, none, lastCheckedAt], [false, null, null])
  await service.http('POST', `/a2a/agents/${agent.id}/heartbeat`, {
    token: owner.token,
    body: { status: 'available' },
  })
  assert.equal((await statusOf(agent)).connected, true)
})

test('answers 400 without a slug, 404 for an unknown one, 403 for a private agent, 429 beyond the limit', async () => {
  const ask = async (query: string) => (await service.http('GET', `/agents/ap2-status${query}`)).status
  assert.equal(await ask(''), 400)
  assert.equal(await ask('?slug=of-no-agent'), 404)
  const { slug } = await publishAgent(service, owner, { visibility: 'PRIVATE' })
  assert.equal(await ask(`?slug=${slug}`), 403)
  const statuses = new Set<number>()
  for (let n = 0; n < 30; n++) statuses.add(await ask('?slug=of-no-agent'))
  assert.ok(statuses.has(429))
})
