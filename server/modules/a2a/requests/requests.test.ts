import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findEdge, historyOf, strandedStates } from '#platform/kernel/machine'
import { sql } from '#platform/kernel/sql'
import { publishAgent, registerHuman, startTestService, type ListedAgent, type TestService } from '#test'
import { REQUEST_STATES, requestMachine } from './machine.ts'

interface Request {
  id: string
  status: string
  requesterAgent: { id: string }
  responderAgent: { id: string }
  payload: unknown
  counterPayload: unknown
  expiresAt: string | null
  message: unknown
}
interface Requests {
  items: Request[]
  total: number
}

let service: TestService
let asking: ListedAgent
let asked: ListedAgent
// A service of its own: the clock is advanced.
before(async () => {
  service = await startTestService()
  asking = await publishAgent(service, await registerHuman(service))
  asked = await publishAgent(service, await registerHuman(service))
})
after(() => service.close())

const request = (more: object = {}, by = asking) =>
  service.http<Request>('POST', '/agents/a2a', {
    token: by.owner.token,
    body: {
      requesterAgentId: asking.id,
      responderAgentId: asked.id,
      payload: { task: 'translate' },
      ...more,
    },
  })
const respond = (requestId: string, body: object, by = asked) =>
  service.http<Request>('POST', '/agents/a2a/respond', {
    token: by.owner.token,
    body: { requestId, ...body },
  })
const listOf = async (agent: ListedAgent, query = '') =>
  (await service.http<Requests>('GET', `/agents/a2a/${agent.id}${query}`, { token: agent.owner.token })).body

test('carries a request to another agent and its response back', async () => {
  const sent = await request()
  assert.equal(sent.status, 201, sent.text)
  assert.deepEqual(
    [sent.body.status, sent.body.requesterAgent.id, sent.body.responderAgent.id, sent.body.payload],
    ['PENDING', asking.id, asked.id, { task: 'translate' }],
  )
  const waiting = await listOf(asked, '?role=responder&status=PENDING')
  assert.deepEqual(
    waiting.items.map(({ id }) => id),
    [sent.body.id],
  )
  const { status, body } = await respond(sent.body.id, {
    status: 'ACCEPTED',
    counterPayload: ['by', { day: 'Monday' }],
  })
  assert.deepEqual([status, body.status, body.expiresAt], [201, 'ACCEPTED', null])
  assert.deepEqual(body.counterPayload, ['by', { day: 'Monday' }])
  const [listed] = (await listOf(asking, '?role=requester')).items
  assert.deepEqual(listed, body)
  assert.equal((await listOf(asked, '?role=requester')).total, 0)
  const history = await service.services.db.rows(historyOf('a2a_request', body.id))
  assert.deepEqual(
    history.map(({ event, actor }) => [event, actor]),
    [['accept', 'responder']],
  )
})

test('refuses a request to itself, to an unknown or unpublished agent, and for another account’s agent', async () => {
  assert.equal((await request({ responderAgentId: asking.id })).status, 400)
  assert.equal((await request({ responderAgentId: 'nobody' })).status, 404)
  assert.equal((await request({}, asked)).status, 403)
  assert.equal((await request({ payload: 'x'.repeat(70_000) })).status, 400)
  const token = asked.owner.token
  const { body: draft } = await service.http<{ id: string }>('POST', '/agents', {
    token,
    body: { name: 'Draft' },
  })
  const refused = await request({ responderAgentId: draft.id })
  assert.deepEqual([refused.status, refused.body.message], [400, 'Agent not published'])
})

test('takes exactly one of 8 parallel responses', async () => {
  const { body } = await request()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => respond(body.id, { status: n % 2 ? 'ACCEPTED' : 'REJECTED' })),
  )
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
  assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 409)])
})

test('expires a request without a response after 72 hours', async () => {
  const { body } = await request()
  await service.advance(71 * 3600)
  assert.equal((await listOf(asking)).items[0]?.status, 'PENDING')
  await service.advance(3600)
  assert.equal((await listOf(asking)).items[0]?.status, 'EXPIRED')
  const late = await respond(body.id, { status: 'ACCEPTED' })
  assert.deepEqual([late.status, late.body.message], [409, 'Cannot accept while EXPIRED'])
})

for (const state of REQUEST_STATES) {
  for (const [status, event] of [
    ['ACCEPTED', 'accept'],
    ['REJECTED', 'reject'],
  ] as const) {
    const edge = findEdge(requestMachine, state, { event, by: 'responder' })
    test(`${event} while ${state} ${edge ? `leads to ${edge.to}` : 'is refused with 409'}`, async () => {
      const { id } = (await request()).body
      const isAnswered = state === 'ACCEPTED' || state === 'REJECTED'
      await service.services.db.run(sql`update a2a_request set status = ${state},
        expires_at = case when ${state} = 'PENDING' then expires_at end,
        responded_at = case when ${isAnswered} then now() end where id = ${id}`)
      const answer = await respond(id, { status })
      assert.equal(answer.status, edge ? 201 : 409, answer.text)
      if (!edge) assert.equal(answer.body.message, `Cannot ${event} while ${state}`)
    })
  }
}

test('leads from every state to an end by timers alone', () => {
  assert.deepEqual(strandedStates(requestMachine), [])
})
