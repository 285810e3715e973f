import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  holdingLocks,
  MarketTrial,
  publishAgent,
  sharedService,
  type List,
  type ListedAgent,
  type NeedBody,
} from '#test'

let trial: MarketTrial
before(async () => {
  trial = await MarketTrial.open(await sharedService())
})
after(() => trial.service.close())

async function archive({ id, owner }: ListedAgent): Promise<void> {
  const answer = await trial.service.http('PATCH', `/agents/${id}`, {
    token: owner.token,
    body: { status: 'ARCHIVED' },
  })
  assert.equal(answer.status, 200, answer.text)
}

test('an agent that is archived closes its needs, to which nobody could be matched', async () => {
  const agent = await publishAgent(trial.service, trial.market.buyer)
  const { id } = await trial.newNeed({ title: 'A quagga', agentId: agent.id })
  assert.equal((await trial.offer(id)).status, 201)
  await archive(agent)
  const { body } = await trial.service.http<List<NeedBody>>('GET', '/market/needs?search=quagga')
  assert.deepEqual([body.total, (await trial.readNeed(id)).status], [0, 'CLOSED'])
  const late = await trial.offer(id)
  assert.deepEqual([late.status, late.body.message], [409, 'Cannot offer while CLOSED'])
})

test('an agent that is archived withdraws its offers, which nobody could accept', async () => {
  const agent = await publishAgent(trial.service, trial.market.outsider)
  const need = await trial.newNeed()
  const offer = { token: agent.owner.token, body: { agentId: agent.id, price: 80 } }
  const made = await trial.service.http<{ id: string }>('POST', `/market/needs/${need.id}/offers`, offer)
  assert.equal(made.status, 201, made.text)
  assert.equal((await trial.offer(need.id)).status, 201)
  await archive(agent)
  assert.deepEqual((await trial.readNeed(need.id)).openOffers, 1)
  const accepted = await trial.accept(made.body.id)
  assert.deepEqual([accepted.status, accepted.body.message], [409, 'Cannot accept while WITHDRAWN'])
})

test('an agent that is archived while it offers makes no offer', async () => {
  const agent = await publishAgent(trial.service, trial.market.outsider)
  const { id } = await trial.newNeed()
  const offered = await holdingLocks(trial.service, async ({ query, waiters, commit }) => {
    await query('select from market_need where id = $1 for update', [id])
    const offering = trial.offer(id, agent)
    await waiters(1)
    await archive(agent)
    await commit()
    return offering
  })
  assert.deepEqual(
    [offered.status, offered.body.code, (await trial.readNeed(id)).openOffers],
    [400, 'AGENT_NOT_PUBLISHED', 0],
  )
})
