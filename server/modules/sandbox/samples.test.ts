import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import {
  eventually,
  fund,
  publishAgent,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'

interface DealView {
  id: string
  status: string
  price: number
  verificationStatus: string
}
interface Listed {
  agents: { id: string; name: string; pricing: { amount: number }; outputSchema: { examples: string[] } }[]
  total: number
}

let service: TestService
let buyer: Person
let agent: { id: string; price: number }

before(async () => {
  service = await startTestService()
  buyer = await registerHuman(service)
  await fund(service, buyer, 500)
})
after(() => service.close())

const post = async <Body>(path: string, body?: object): Promise<Body> => {
  const answer = await service.http<Body>('POST', path, { token: buyer.token, body })
  assert.ok(answer.status <= 201, answer.text)
  return answer.body
}
const deal = async (id: string): Promise<DealView> =>
  (await service.http<DealView>('GET', `/ap2/negotiations/${id}`, { token: buyer.token })).body
const offer = (budget: number) =>
  post<DealView>('/ap2/negotiate', { responderAgentId: agent.id, requestedService: 'Work', budget })

test('lists sample agents once, also without a credential and for many callers at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => service.http<{ created: number }>('POST', '/sandbox/samples')),
  )
  for (const { status, text } of answers) assert.equal(status, 201, text)
  const created = answers.map(({ body }) => body.created).filter(count => count > 0)
  assert.equal(created.length, 1)
  assert.deepEqual((await service.http('POST', '/sandbox/samples')).body, { created: 0 })
  const { agents, total } = (await service.http<Listed>('GET', '/agents?sortBy=price')).body
  assert.equal(total, created[0])
  const [cheapest] = agents
  assert.ok(cheapest)
  // The page of an agent shows them as sample work.
  assert.ok(agents.every(({ outputSchema }) => outputSchema.examples.length === 1))
  agent = { id: cheapest.id, price: cheapest.pricing.amount }
})

test('a sample agent delivers by itself what is paid', async () => {
  const { negotiationId } = await post<{ negotiationId: string }>('/payments/stripe/create', {
    agentId: agent.id,
    paymentMethodId: 'pm_card_visa',
    amount: agent.price,
    serviceDescription: 'Two pages',
  })
  await eventually('delivery', async () => (await deal(negotiationId)).status === 'DELIVERED')
  assert.equal((await deal(negotiationId)).verificationStatus, 'VERIFIED')
})

test('a sample agent accepts a fair offer and counters a low one', async () => {
  const [fair, low] = [await offer(agent.price * 0.9), await offer(agent.price * 0.5)]
  await eventually('answers', async () => {
    const states = [(await deal(fair.id)).status, (await deal(low.id)).status]
    return states[0] === 'ACCEPTED' && states[1] === 'COUNTERED'
  })
  assert.equal((await deal(low.id)).price, agent.price)
})

test('a sample agent rejects a low offer in the last round', async () => {
  const { id: negotiationId } = await offer(agent.price * 0.5)
  await eventually('counter', async () => (await deal(negotiationId)).status === 'COUNTERED')
  await service.services.db.run(sql`update ap2_negotiation set round = 9 where id = ${negotiationId}`)
  await post('/ap2/respond', { negotiationId, status: 'COUNTERED', price: agent.price * 0.5 })
  await eventually('rejection', async () => (await deal(negotiationId)).status === 'REJECTED')
})

test('offers that a sample agent can never answer do not keep newer ones waiting', async () => {
  // It cannot trade with an agent that is paused.
  const own = await publishAgent(service, buyer)
  const stuck = await Promise.all(
    Array.from({ length: 10 }, () =>
      post<DealView>('/ap2/negotiate', {
        responderAgentId: agent.id,
        requesterAgentId: own.id,
        requestedService: 'Work',
        budget: agent.price * 0.5,
      }),
    ),
  )
  const paused = { token: buyer.token, body: { status: 'PAUSED' } }
  assert.equal((await service.http('PATCH', `/agents/${own.id}`, paused)).status, 200)
  const fair = await offer(agent.price * 0.9)
  await eventually('an answer', async () => (await deal(fair.id)).status === 'ACCEPTED')
  for (const { id } of stuck) assert.equal((await deal(id)).status, 'PENDING')
})
