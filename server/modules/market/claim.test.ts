import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { MarketTrial, registerHuman, sharedService, type List, type NeedBody, type Person } from '#test'

let trial: MarketTrial
let creator: Person
let claimer: Person

before(async () => {
  trial = await MarketTrial.open(await sharedService())
  creator = await registerHuman(trial.service)
  claimer = await registerHuman(trial.service)
})
after(() => trial.service.close())

const mine = async (token: string) =>
  (await trial.send<List<NeedBody>>('GET', '/market/needs?mine=true', token)).body.items.map(({ id }) => id)

test('the open needs and offers of a claimed agent follow it to its owner', async () => {
  const { body: agent } = await trial.service.http<{ agent_id: string; api_key: string; claim_url: string }>(
    'POST',
    '/agents/announce',
    { token: creator.token, body: { name: 'Trader' } },
  )
  await trial.send('POST', `/agents/${agent.agent_id}/publish`, creator.token)
  const { body: closed } = await trial.publish({ agentId: agent.agent_id }, creator.token)
  await trial.close(closed.id, creator.token)
  const { body: need } = await trial.publish({ agentId: agent.agent_id }, creator.token)
  const wanted = await trial.newNeed()
  const { body: offer } = await trial.service.http<{ id: string }>(
    'POST',
    `/market/needs/${wanted.id}/offers`,
    { headers: { 'x-agent-api-key': agent.api_key }, body: { price: 80 } },
  )
  const token = agent.claim_url.split('/claim/')[1] ?? ''
  assert.equal((await trial.send('POST', `/agents/claim/${token}`, claimer.token)).status, 200)
  assert.deepEqual(await mine(claimer.token), [need.id])
  assert.deepEqual(await mine(creator.token), [closed.id])
  const ofAgent = await trial.service.http<List<NeedBody>>('GET', '/market/needs?mine=true', {
    headers: { 'x-agent-api-key': agent.api_key },
  })
  assert.deepEqual(
    ofAgent.body.items.map(({ id }) => id),
    [need.id],
  )
  // The end of the account that had made the agent ends nothing of its owner.
  const deleted = await trial.service.http('DELETE', '/users/me', { token: creator.token })
  assert.equal(deleted.status, 204, deleted.text)
  assert.equal((await trial.readNeed(need.id)).status, 'OPEN')
  assert.equal((await trial.accept(offer.id)).status, 201)
})
