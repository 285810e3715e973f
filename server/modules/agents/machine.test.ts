import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { findEdge, historyOf } from '#platform/machine'
import { sql } from '#platform/sql'
import { publishAgent, registerHuman, startTestService, type ListedAgent, type Person, type TestService } from '#test'
import { AGENT_STATES, agentMachine, type AgentEvent, type AgentStatus } from './agent-machine.ts'

let service: TestService
let owner: Person
let admin: string
let agent: ListedAgent

before(async () => {
  service = await startTestService()
  owner = await registerHuman(service)
  admin = await service.adminToken()
  agent = await publishAgent(service, owner)
})
after(() => service.close())

interface Operation { event: AgentEvent; by: 'owner' | 'operator'; method: string; path: string; body?: object; to?: AgentStatus; success: number }

/** Every operation that moves an agent; `to` is the state that it asks for, which answers as if moved when already there. */
const OPERATIONS: Operation[] = [
  { event: 'submit', by: 'owner', method: 'POST', path: '/agents/:id/submit', body: { notes: 'please' }, to: 'PENDING_REVIEW', success: 201 },
  { event: 'publish', by: 'owner', method: 'POST', path: '/agents/:id/publish', to: 'ACTIVE', success: 201 },
  { event: 'publish', by: 'owner', method: 'PATCH', path: '/agents/:id', body: { status: 'ACTIVE' }, to: 'ACTIVE', success: 200 },
  { event: 'publish', by: 'owner', method: 'PUT', path: '/agents/:id', body: { status: 'ACTIVE' }, to: 'ACTIVE', success: 200 },
  { event: 'pause', by: 'owner', method: 'PATCH', path: '/agents/:id', body: { status: 'PAUSED' }, to: 'PAUSED', success: 200 },
  { event: 'archive', by: 'owner', method: 'PATCH', path: '/agents/:id', body: { status: 'ARCHIVED' }, to: 'ARCHIVED', success: 200 },
  { event: 'submit', by: 'owner', method: 'PATCH', path: '/agents/:id', body: { status: 'PENDING_REVIEW' }, to: 'PENDING_REVIEW', success: 200 },
  { event: 'send_back', by: 'owner', method: 'PATCH', path: '/agents/:id', body: { status: 'DRAFT' }, to: 'DRAFT', success: 200 },
  { event: 'reject', by: 'owner', method: 'PATCH', path: '/agents/:id', body: { status: 'REJECTED' }, to: 'REJECTED', success: 200 },
  { event: 'suspend', by: 'owner', method: 'PATCH', path: '/agents/:id', body: { status: 'SUSPENDED' }, to: 'SUSPENDED', success: 200 },
  { event: 'approve', by: 'operator', method: 'POST', path: '/agents/:id/review', body: { decision: 'APPROVED' }, success: 201 },
  { event: 'send_back', by: 'operator', method: 'POST', path: '/agents/:id/review', body: { decision: 'NEEDS_WORK' }, success: 201 },
  { event: 'reject', by: 'operator', method: 'POST', path: '/agents/:id/review', body: { decision: 'REJECTED', notes: 'spam' }, success: 201 },
  { event: 'suspend', by: 'operator', method: 'POST', path: '/admin/agents/:id/suspend', body: { reason: 'complaint' }, success: 200 },
  { event: 'reinstate', by: 'operator', method: 'POST', path: '/admin/agents/:id/reinstate', success: 200 },
]

const setState = (state: AgentStatus) => service.services.db.run(sql`
  update agents_agent set status = ${state}, suspended_from = case when ${state} = 'SUSPENDED' then 'PAUSED' end where id = ${agent.id}`)

async function perform({ by, method, path, body }: Operation) {
  return service.http<{ status: string; message: string }>(method, path.replace(':id', agent.id), { token: by === 'owner' ? owner.token : admin, body })
}

for (const state of AGENT_STATES) {
  for (const operation of OPERATIONS) {
    const { event, by, to, method, path, body } = operation
    const name = `${method} ${path} ${JSON.stringify(body ?? {})}`
    const target = event === 'reinstate' ? 'PAUSED' as const : undefined
    const edge = findEdge(agentMachine, state, { event, by, to: target })
    const expected = to === state ? state : edge?.to
    test(`${name} while ${state} ${expected ? `leads to ${expected}` : 'is refused with 409'}`, async () => {
      await setState(state)
      const { status, body: answer } = await perform(operation)
      assert.equal(status, expected ? operation.success : 409, answer.message)
      if (expected) assert.equal(answer.status, expected)
      else assert.match(answer.message, new RegExp(`^Cannot ${event.replaceAll('_', ' ')} while ${state}`))
      const now = await service.http<{ status: string }>('GET', `/agents/${agent.id}`)
      assert.equal(now.body.status, expected ?? state)
    })
  }
}

test('every edge of a person is tried above', () => {
  const tried = new Set(OPERATIONS.map(({ event, by }) => `${event} ${by}`))
  for (const { event, by } of agentMachine.edges) for (const actor of by) if (actor !== 'system') assert.ok(tried.has(`${event} ${actor}`), `${event} by ${actor}`)
})

test('an agent goes back to where it was suspended from, and every move is in its history', async () => {
  const fresh = await publishAgent(service, owner)
  const post = (path: string, token: string) => service.http<{ status: string }>('POST', path, { token })
  await post(`/admin/agents/${fresh.id}/suspend`, admin)
  assert.equal((await post(`/admin/agents/${fresh.id}/reinstate`, admin)).body.status, 'ACTIVE')
  const events = await service.services.db.rows(historyOf('agents_agent', fresh.id))
  assert.deepEqual(events.map(row => row.event), ['publish', 'suspend', 'reinstate'])
})

test('of 16 parallel moves of one agent one gets through, the others find it moved', async () => {
  const { body: { id } } = await service.http<{ id: string }>('POST', '/agents', { token: owner.token, body: { name: 'Wanted' } })
  const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => service.http('POST', `/agents/${id}/${i % 2 ? 'submit' : 'publish'}`, { token: owner.token })))
  assert.deepEqual(new Set(answers.map(answer => answer.status)), new Set([201, 409]))
  assert.equal((await service.services.db.rows(historyOf('agents_agent', id))).length, 1)
})

test('an archived agent is changed no more', async () => {
  await setState('ARCHIVED')
  assert.equal((await service.http('PATCH', `/agents/${agent.id}`, { token: owner.token, body: { name: 'Undead' } })).status, 409)
})

test('only an admin reviews, suspends and reinstates; a bad decision is 400, an unknown agent 404', async () => {
  for (const path of [`/agents/${agent.id}/review`, `/admin/agents/${agent.id}/suspend`, `/admin/agents/${agent.id}/reinstate`]) {
    assert.equal((await service.http('POST', path, { token: owner.token, body: { decision: 'APPROVED' } })).status, 403)
    assert.equal((await service.http('POST', path, { body: { decision: 'APPROVED' } })).status, 401)
    assert.equal((await service.http('POST', path.replace(agent.id, 'nobody'), { token: admin, body: { decision: 'APPROVED' } })).status, 404)
  }
  assert.equal((await service.http('POST', `/agents/${agent.id}/review`, { token: admin, body: { decision: 'MAYBE' } })).status, 400)
})
