import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '#platform/kernel/sql'
import {
  eventually,
  publishAgent,
  registerHuman,
  sharedService,
  type ListedAgent,
  type Person,
  type TestService,
} from '#test'

import { noteSeenAgent } from './presence.ts'

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
  service = await sharedService()
  owner = await registerHuman(service)
  agent = await publishAgent(service, owner)
})
after(() => service.close())

const beat = (body: object, credential: object) =>
  service.http<PresenceJson>('POST', `/a2a/agents/${agent.id}/heartbeat`, { body, ...credential })
const presence = async () =>
  (await service.http<PresenceJson>('GET', `/a2a/agents/${agent.id}/presence`)).body
const key = () => ({ headers: { 'x-agent-api-key': agent.apiKey } })
const seenAgo = (seconds: number) =>
  service.services.db.run(sql`
  update agents_agent set last_seen_at = ${new Date(service.services.clock.real().getTime() - seconds * 1000)}
  where id = ${agent.id}`)

test('reports the presence `unknown` before the first heartbeat', async () => {
  const { agentId, status, freshness, ageSeconds, ttlSeconds, load } = await presence()
  assert.deepEqual(
    { agentId, status, freshness, ageSeconds, ttlSeconds, load },
    {
      agentId: agent.id,
      status: 'unknown',
      freshness: 'never',
      ageSeconds: null,
      ttlSeconds: 90,
      load: null,
    },
  )
})

test('counts the use of its key as seen, and what its heartbeat said for ten minutes', async () => {
  const other = await publishAgent(service, owner)
  const of = async () => (await service.http<PresenceJson>('GET', `/a2a/agents/${other.id}/presence`)).body
  await service.http('GET', `/agents/${other.id}/inbox`, { headers: { 'x-agent-api-key': other.apiKey } })
  // The request does not wait for the note.
  const deadline = Date.now() + 20_000
  while ((await of()).freshness === 'never' && Date.now() < deadline) await sleep(20)
  const { status, freshness } = await of()
  assert.deepEqual([status, freshness], ['available', 'live'])

  const now = service.services.clock.real()
  const see = (minutes: number) =>
    service.services.db.transaction(tx =>
      noteSeenAgent(tx, { agentId: other.id, real: new Date(now.getTime() + minutes * 60_000) }),
    )
  const stored = async () =>
    (
      await service.services.db.one(
        sql<{ presenceStatus: string }>`select presence_status from agents_agent where id = ${other.id}`,
      )
    ).presenceStatus
  const path = `/a2a/agents/${other.id}/heartbeat`
  await service.http('POST', path, { token: owner.token, body: { status: 'busy', load: 1 } })
  await see(5)
  assert.equal(await stored(), 'busy')
  await see(15)
  assert.equal(await stored(), 'available')
  await service.services.db.run(sql`update agents_agent set last_seen_at = null where id = ${other.id}`)
})

test('does not count the rotation of its key as seen', async () => {
  const { id, apiKey } = await publishAgent(service, owner)
  const withKey = (text: string) => ({ headers: { 'x-agent-api-key': text } })
  const freshness = async () =>
    (await service.http<PresenceJson>('GET', `/a2a/agents/${id}/presence`)).body.freshness
  const rotated = await service.http<{ newApiKey: string }>(
    'POST',
    `/agents/${id}/rotate-key`,
    withKey(apiKey),
  )
  assert.equal(rotated.status, 200, rotated.text)
  // The use of the key is noted in any case; the presence would be within the same moment.
  await eventually('the use of the key', async () => {
    const { rows } = await service.services.db.pool.query(
      `select from identity_key k join identity_service_account s on s.id = k.service_account_id
       where s.agent_id = $1 and k.last_used_at is not null`,
      [id],
    )
    return rows.length === 1
  })
  await sleep(200)
  assert.equal(await freshness(), 'never')
  await service.http('GET', `/agents/${id}/inbox`, withKey(rotated.body.newApiKey))
  await eventually('the use of the new key', async () => (await freshness()) === 'live')
  await service.services.db.run(sql`update agents_agent set last_seen_at = null where id = ${id}`)
})

test('counts a heartbeat as live for 90 s and stale for 10 min, then offline', async () => {
  const { status, body } = await beat({ status: 'busy', load: 0.75 }, { token: owner.token })
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

test('stores a load with three decimals', async () => {
  for (const [load, stored] of [
    [0.12345, 0.123],
    [5e-165, 0],
    [1, 1],
  ])
    assert.deepEqual((await beat({ status: 'busy', load }, key())).body.load, stored)
})

test('finds agents that are online, without those that reported offline', async () => {
  const online = async () =>
    (await service.http<{ total: number }>('GET', `/agents?filterOnline=true&creatorId=${owner.id}`)).body
      .total
  await beat({ status: 'available' }, { token: owner.token })
  assert.equal(await online(), 1)
  await beat({ status: 'offline' }, key())
  assert.equal(await online(), 0)
  assert.equal((await presence()).status, 'offline')
})

test('accepts valid heartbeats of the agent and its owner only', async () => {
  assert.equal((await beat({ status: 'available' }, {})).status, 401)
  assert.equal(
    (await beat({ status: 'available' }, { token: (await registerHuman(service)).token })).status,
    403,
  )
  for (const body of [
    {},
    { status: 'asleep' },
    { status: 'busy', load: 2 },
    { status: 'busy', load: 'high' },
  ])
    assert.equal((await beat(body, key())).status, 400)
  assert.equal((await service.http('GET', '/a2a/agents/nobody/presence')).status, 404)
})
