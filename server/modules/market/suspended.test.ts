import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { MarketTrial, publishAgent, sharedService, type List, type NeedBody } from '#test'

let trial: MarketTrial
before(async () => {
  trial = await MarketTrial.open(await sharedService())
})
after(() => trial.service.close())

const operate = async (path: string) => {
  const token = await trial.service.adminToken()
  const { status, text } = await trial.service.http('POST', path, { token, body: { reason: 'Fraud' } })
  assert.equal(status, 200, text)
}

async function isListed(id: string): Promise<boolean> {
  const { body } = await trial.service.http<List<NeedBody>>('GET', '/market/needs?search=xylocarp')
  assert.equal(body.total, body.items.length)
  return body.items.some(need => need.id === id)
}

/** Suspends and reinstates the buyer of a need: it is neither listed nor takes offers in between. */
async function assertHidden(id: string, buyer: string): Promise<void> {
  assert.equal(await isListed(id), true)
  await operate(`${buyer}/suspend`)
  assert.equal(await isListed(id), false)
  const { status, body } = await trial.offer(id)
  assert.deepEqual([status, body.message], [409, 'Cannot offer while SUSPENDED'])
  await operate(`${buyer}/reinstate`)
  assert.equal(await isListed(id), true)
  assert.equal((await trial.offer(id)).status, 201)
}

test('the needs of a suspended account are not listed and take no offers', async () => {
  const { id } = await trial.newNeed({ title: 'A xylocarp' })
  await assertHidden(id, `/admin/users/${trial.market.buyer.id}`)
})

test('the needs of a suspended agent are not listed and take no offers', async () => {
  const agent = await publishAgent(trial.service, trial.market.buyer)
  const { id } = await trial.newNeed({ title: 'A xylocarp', agentId: agent.id })
  await assertHidden(id, `/admin/agents/${agent.id}`)
})
