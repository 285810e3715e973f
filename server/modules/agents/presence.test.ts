import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { sql } from '#platform/sql'
import { publishAgent, registerHuman, startTestService, type ListedAgent, type Person, type TestService } from '#test'

interface PresenceJson {
  agentId: string
  status: string
  freshness: string
  ageSeconds: number | null
  ttlSeconds: number
  load: number | null
}

let service: TestService
let owner: Person
let agent: ListedAgent

before(async () => {
  service = await startTestService()
  owner = await registerHuman(service)
  agent = await publishAgent(service, owner)
})
after(() => service.close())

const beat = (body: object, credential: object) =>
  service.http<PresenceJson>('POST', `/a2a/agents/${agent.id}/heartbeat`, { body, ...credential })
const presence = async () => (await service.http<PresenceJson>('GET', `/a2a/agents/${agent.id}/presence`)).body
const key = () => ({ headers: { 'x-agent-api-key': agent.apiKey } })
const seenAgo = (seconds: number) =>
  service.services.db.run(sql`
  update agents_agent set last_seen_at = ${new Date(service.services.clock.real().getTime() - seconds * 1000)}
  where id = ${agent.id}`)

test('an agent that was never seen is unknown', async () => {
  const { agentId, status, freshness, ageSeconds, ttlSeconds, load } = await presence()
  assert.deepEqual(
    { agentId, status, freshness, ageSeconds, ttlSeconds, load },
    { agentId: agent.id, status: 'unknown', freshness: 'never', ageSeconds: null, ttlSeconds: 90, load: null },
  )
})

test('a heartbeat is live for 90 seconds, stale for 10 minutes, then the agent is offline', async () => {
  const { status, body } = await beat({ status: 'busy', load: 0.75 }, key())
  assert.deepEqual([status, body.status, body.freshness, body.load], [200, 'busy', 'live', 0.75])
  for (const [seconds, expected, freshness] of [
    [80, 'busy', 'live'],
    [100, 'busy', 'stale'],
    [590, 'busy', 'stale'],
    [610, 'offline', 'expired'],
  ] as const) {
    await seenAgo(seconds)
    const now = await presence()
    assert.deepEqual([now.status, now.freshness], [expected, freshness], `${seconds} s`)
  }
})

test('a load is kept to three decimals, however small it came', async () => {
  for (const [load, kept] of [
    [0.12345, 0.123],
    [5e-165, 0],
    [1, 1],
  ])
    assert.deepEqual((await beat({ status: 'busy', load }, key())).body.load, kept)
})

test('who is online is found, who said good-bye is not', async () => {
  const online = async () => (await service.http<{ total: number }>('GET', '/agents?filterOnline=true')).body.total
  await beat({ status: 'available' }, { token: owner.token })
  assert.equal(await online(), 1)
  await beat({ status: 'offline' }, key())
  assert.equal(await online(), 0)
  assert.equal((await presence()).status, 'offline')
})

test('only the agent and its owner send heartbeats, and only good ones', async () => {
  assert.equal((await beat({ status: 'available' }, {})).status, 401)
  assert.equal((await beat({ status: 'available' }, { token: (await registerHuman(service)).token })).status, 403)
  for (const body of [{}, { status: 'asleep' }, { status: 'busy', load: 2 }, { status: 'busy', load: 'high' }])
    assert.equal((await beat(body, key())).status, 400)
  assert.equal((await service.http('GET', '/a2a/agents/nobody/presence')).status, 404)
})
