import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { findEdge, historyOf } from '#platform/kernel/machine'
import { sql } from '#platform/kernel/sql'
import {
  publishAgent,
  registerAdmin,
  registerHuman,
  sharedService,
  type ListedAgent,
  type Person,
  type TestService,
} from '#test'
import { AGENT_STATES, agentMachine, type AgentEvent, type AgentStatus } from './agent-machine.ts'
import { archiveAgentsOf } from './listing/listing.ts'

let service: TestService
let owner: Person
let admin: string
let agent: ListedAgent

before(async () => {
  service = await sharedService()
  owner = await registerHuman(service)
  admin = await service.adminToken()
  agent = await publishAgent(service, owner)
})
after(() => service.close())

interface Operation {
  event: AgentEvent
  by: 'owner' | 'operator'
  call: string
  body?: object
  /** The state that it asks for, which answers as if moved when already there. */
  to?: AgentStatus
}

/** The owner's wishes by PATCH; those that are an operator's to fulfil are refused. */
const WISHES: [AgentStatus, AgentEvent][] = [
  ['ACTIVE', 'publish'],
  ['PAUSED', 'pause'],
  ['ARCHIVED', 'archive'],
  ['PENDING_REVIEW', 'submit'],
  ['DRAFT', 'send_back'],
  ['REJECTED', 'reject'],
  ['SUSPENDED', 'suspend'],
]
const DECISIONS: [string, AgentEvent][] = [
  ['APPROVED', 'approve'],
  ['NEEDS_WORK', 'send_back'],
  ['REJECTED', 'reject'],
]

/** Every operation that moves an agent. */
const OPERATIONS: Operation[] = [
  {
    event: 'submit',
    by: 'owner',
    call: 'POST /agents/:id/submit',
    body: { notes: 'please' },
    to: 'PENDING_REVIEW',
  },
  { event: 'publish', by: 'owner', call: 'POST /agents/:id/publish', to: 'ACTIVE' },
  { event: 'publish', by: 'owner', call: 'PUT /agents/:id', body: { status: 'ACTIVE' }, to: 'ACTIVE' },
  ...WISHES.map(([to, event]): Operation => ({
    event,
    by: 'owner',
    call: 'PATCH /agents/:id',
    body: { status: to },
    to,
  })),
  ...DECISIONS.map(([decision, event]): Operation => ({
    event,
    by: 'operator',
    call: 'POST /agents/:id/review',
    body: { decision, notes: 'seen' },
  })),
  { event: 'suspend', by: 'operator', call: 'POST /admin/agents/:id/suspend', body: { reason: 'fraud' } },
  { event: 'reinstate', by: 'operator', call: 'POST /admin/agents/:id/reinstate' },
]

const setState = (state: AgentStatus) =>
  service.services.db.run(sql`
  update agents_agent set status = ${state}, suspended_from = case when ${state} = 'SUSPENDED' then 'PAUSED' end
  where id = ${agent.id}`)

async function perform({ by, call, body }: Operation) {
  const [method = '', path = ''] = call.replace(':id', agent.id).split(' ')
  const token = by === 'owner' ? owner.token : admin
  return service.http<{ status: string; message: string }>(method, path, { token, body })
}

for (const state of AGENT_STATES) {
  for (const operation of OPERATIONS) {
    const { event, by, to, call, body } = operation
    const name = `${call} ${JSON.stringify(body ?? {})}`
    const success = call.startsWith('POST /agents') ? 201 : 200
    const target = event === 'reinstate' ? ('PAUSED' as const) : undefined
    const edge = findEdge(agentMachine, state, { event, by, to: target })
    const expected = to === state ? state : edge?.to
    // The owner of a suspended agent gets 403 for every transition.
    const refusal = state === 'SUSPENDED' && by === 'owner' ? 403 : 409
    test(`${name} while ${state} ${expected ? `leads to ${expected}` : `is refused with ${refusal}`}`, async () => {
      await setState(state)
      const { status, body: answer } = await perform(operation)
      assert.equal(status, expected ? success : refusal, answer.message)
      if (expected) assert.equal(answer.status, expected)
      else if (refusal === 403) assert.equal(answer.message, 'Agent suspended')
      else assert.match(answer.message, new RegExp(`^Cannot ${event.replaceAll('_', ' ')} while ${state}`))
      const now = await service.http<{ status: string }>('GET', `/agents/${agent.id}`)
      assert.equal(now.body.status, expected ?? state)
    })
  }
}

test('covers every transition that a person can trigger', () => {
  const tried = new Set(OPERATIONS.map(({ event, by }) => `${event} ${by}`))
  for (const { event, by } of agentMachine.edges)
    for (const actor of by)
      if (actor !== 'system') assert.ok(tried.has(`${event} ${actor}`), `${event} by ${actor}`)
})

test('restores the status before a suspension and records each transition', async () => {
  const fresh = await publishAgent(service, owner)
  const post = (path: string, token: string) => service.http<{ status: string }>('POST', path, { token })
  await post(`/admin/agents/${fresh.id}/suspend`, admin)
  assert.equal((await post(`/admin/agents/${fresh.id}/reinstate`, admin)).body.status, 'ACTIVE')
  const events = await service.services.db.rows(historyOf('agents_agent', fresh.id))
  assert.deepEqual(
    events.map(row => row.event),
    ['publish', 'suspend', 'reinstate'],
  )
})

test('applies exactly one of 16 parallel transitions of one agent', async () => {
  const {
    body: { id },
  } = await service.http<{ id: string }>('POST', '/agents', { token: owner.token, body: { name: 'Wanted' } })
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, i) =>
      service.http('POST', `/agents/${id}/${i % 2 ? 'submit' : 'publish'}`, { token: owner.token }),
    ),
  )
  assert.deepEqual(new Set(answers.map(answer => answer.status)), new Set([201, 409]))
  assert.equal((await service.services.db.rows(historyOf('agents_agent', id))).length, 1)
})

test('deleting an account archives its agents in any state', async () => {
  const leaver = await registerHuman(service)
  const agents = await Promise.all([1, 2, 3].map(() => publishAgent(service, leaver)))
  await service.http('POST', `/admin/agents/${agents[0]?.id}/suspend`, { token: admin })
  await service.http('PATCH', `/agents/${agents[1]?.id}`, {
    token: leaver.token,
    body: { status: 'ARCHIVED' },
  })
  await service.services.db.transaction(tx => archiveAgentsOf(tx, leaver.id))
  for (const { id } of agents) {
    assert.equal((await service.http<{ status: string }>('GET', `/agents/${id}`)).body.status, 'ARCHIVED')
  }
})

test('rejects changes to an archived agent', async () => {
  await setState('ARCHIVED')
  assert.equal(
    (await service.http('PATCH', `/agents/${agent.id}`, { token: owner.token, body: { name: 'Undead' } }))
      .status,
    409,
  )
})

test('lets only admins review, suspend and reinstate agents', async () => {
  for (const path of [
    `/agents/${agent.id}/review`,
    `/admin/agents/${agent.id}/suspend`,
    `/admin/agents/${agent.id}/reinstate`,
  ]) {
    assert.equal(
      (await service.http('POST', path, { token: owner.token, body: { decision: 'APPROVED' } })).status,
      403,
    )
    assert.equal((await service.http('POST', path, { body: { decision: 'APPROVED' } })).status, 401)
    assert.equal(
      (
        await service.http('POST', path.replace(agent.id, 'nobody'), {
          token: admin,
          body: { decision: 'APPROVED' },
        })
      ).status,
      404,
    )
  }
  assert.equal(
    (await service.http('POST', `/agents/${agent.id}/review`, { token: admin, body: { decision: 'MAYBE' } }))
      .status,
    400,
  )
})

test('the audit log names the admin of each review, also of one that only changes the tier', async () => {
  const [reviewed, trusted] = [await publishAgent(service, owner), await publishAgent(service, owner)]
  await service.services.db.run(sql`
    update agents_agent set status = case when id = ${reviewed.id} then 'PENDING_REVIEW' else status end,
      trust_tier = case when id = ${trusted.id} then 'VERIFIED' else trust_tier end
    where id in (${reviewed.id}, ${trusted.id})`)
  const review = (id: string, decision: string) =>
    service.http('POST', `/agents/${id}/review`, { token: admin, body: { decision } })
  assert.equal((await review(reviewed.id, 'REJECTED')).status, 201)
  assert.equal((await review(trusted.id, 'TRUSTED')).status, 201)
  assert.equal((await review(trusted.id, 'TRUSTED')).status, 409)
  interface Event {
    actorId: string
    targetId: string
    details: { decision?: string }
  }
  const { body } = await service.http<{ items: Event[] }>(
    'GET',
    '/admin/audit?action=agent.reviewed&limit=100',
    {
      token: admin,
    },
  )
  const { body: me } = await service.http<{ id: string }>('GET', '/users/me', { token: admin })
  assert.deepEqual(
    body.items
      .filter(({ targetId }) => [reviewed.id, trusted.id].includes(targetId))
      .map(({ actorId, targetId, details }) => [actorId, targetId, details.decision]),
    [
      [me.id, trusted.id, 'TRUSTED'],
      [me.id, reviewed.id, 'REJECTED'],
    ],
  )
})

test('an admin reviews no agent of their own: another admin does', async () => {
  const person = await registerAdmin(service)
  const own = await publishAgent(service, person)
  const review = (decision: string, token: string) =>
    service.http<{ status: string; trustTier: string }>('POST', `/agents/${own.id}/review`, {
      token,
      body: { decision },
    })
  await service.services.db.run(sql`
    update agents_agent set status = 'PENDING_REVIEW', trust_tier = 'VERIFIED' where id = ${own.id}`)
  for (const decision of ['APPROVED', 'REJECTED', 'NEEDS_WORK', 'TRUSTED'])
    assert.equal((await review(decision, person.token)).status, 403, decision)
  const { body } = await service.http<{ status: string; trustTier: string }>('GET', `/agents/${own.id}`)
  assert.deepEqual([body.status, body.trustTier], ['PENDING_REVIEW', 'VERIFIED'])
  assert.equal((await review('APPROVED', admin)).status, 201)
  assert.equal((await review('TRUSTED', admin)).body.trustTier, 'TRUSTED')
})
