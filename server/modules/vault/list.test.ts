import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  heldDeal,
  KeyTrial,
  must,
  openMarket,
  publishAgent,
  registerHuman,
  sharedService,
  type Market,
  type Person,
  type TestService,
} from '#test'
import { planOf } from '../../../test/support/database/plan.ts'
import { part } from '#platform/kernel/sql'
import { listArtifacts } from './sql.ts'

interface Listed {
  items: { id: string; name: string; bytes: number; isDelivered: boolean }[]
  total: number
}

interface Announced {
  agent_id: string
  api_key: string
  claim_url: string
}

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

type Headers = Record<string, string>
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
const keyOf = ({ apiKey }: { apiKey: string }): Headers => ({ 'x-agent-api-key': apiKey })
const upload = async (headers: Headers, name: string): Promise<string> => {
  const response = await fetch(`${service.baseUrl}/vault?name=${name}`, {
    method: 'POST',
    headers,
    body: 'content',
  })
  assert.equal(response.status, 201)
  return ((await response.json()) as { id: string }).id
}
const list = async (headers: Headers, query = '') => {
  const { status, body, text } = await service.http<Listed>('GET', `/vault${query}`, { headers })
  assert.equal(status, 200, text)
  return body
}
const names = async (headers: Headers) => (await list(headers)).items.map(({ name }) => name)

test('an account lists its own files and those of its agents, an agent its own', async () => {
  const { owner } = market.agent
  const other = await publishAgent(service, owner)
  await upload(bearer(owner.token), 'of-person')
  await upload(keyOf(market.agent), 'of-agent')
  await upload(keyOf(other), 'of-other-agent')
  assert.deepEqual(await names(bearer(owner.token)), ['of-other-agent', 'of-agent', 'of-person'])
  assert.deepEqual(await names(keyOf(market.agent)), ['of-agent'])
  assert.deepEqual(await names(keyOf(other)), ['of-other-agent'])
  for (const token of [market.buyer.token, market.outsider.token, market.admin])
    assert.deepEqual(await list(bearer(token)), { items: [], total: 0, limit: 20, offset: 0 })
  assert.equal((await service.http('GET', '/vault')).status, 401)
})

test('a key that is bound to an agent or an organization lists what it uploaded', async () => {
  const trial = await KeyTrial.open(service)
  const { owner } = trial
  const agent = await publishAgent(service, owner)
  const slug = `files-${owner.id.slice(-12)}`
  const { body } = await trial.ask(owner.token, 'POST', '/organizations', { slug, name: 'Works' })
  const keys = {
    account: bearer(await trial.keyFor({})),
    agent: bearer(await trial.keyFor({ agentId: agent.id })),
    organization: bearer(await trial.keyFor({ organizationId: body.id })),
  }
  for (const [name, headers] of Object.entries(keys)) await upload(headers, `of-${name}`)
  assert.deepEqual(await names(keys.agent), ['of-agent'])
  assert.deepEqual(await names(keys.organization), ['of-organization'])
  for (const headers of [keys.account, bearer(owner.token)])
    assert.deepEqual(await names(headers), ['of-organization', 'of-agent', 'of-account'])
})

test('the files of an agent go to its new owner, and those of a detached creator', async () => {
  const trial = await KeyTrial.open(service)
  const [creator, owner] = [trial.owner, await registerHuman(service)]
  const { body: announced } = await service.http<Announced>('POST', '/agents/announce', {
    token: creator.token,
    body: { name: 'Given away' },
  })
  const { agent_id: agentId, api_key: apiKey, claim_url: url } = announced
  const bound = bearer(await trial.keyFor({ agentId }))
  const own = await upload(bearer(creator.token), 'of-person')
  const early = await upload(keyOf({ apiKey }), 'early')
  const claimed = await trial.ask(owner.token, 'POST', `/agents/claim/${url.split('/').at(-1)}`)
  assert.equal(claimed.status, 200, claimed.text)
  await upload(bound, 'late')
  assert.deepEqual(await names(bearer(owner.token)), ['early'])
  assert.deepEqual(await names(bearer(creator.token)), ['late', 'of-person'])
  const detached = await trial.ask(owner.token, 'POST', `/agents/${agentId}/detach-creator`)
  assert.equal(detached.status, 200, detached.text)
  assert.deepEqual(await names(bearer(owner.token)), ['late', 'early'])
  assert.deepEqual(await names(bearer(creator.token)), ['of-person'])
  const remove = (id: string, { token }: Person) => trial.ask(token, 'DELETE', `/vault/${id}`)
  assert.equal((await remove(early, owner)).status, 204)
  assert.equal((await remove(own, creator)).status, 204)
})

test('a page shows the metadata, the newest first, and whether a delivery contains the file', async () => {
  const own = await openMarket(service)
  const headers = keyOf(own.agent)
  const [first, second] = [await upload(headers, 'first'), await upload(headers, 'second')]
  const { id: negotiationId } = await heldDeal(own)
  await must(own, 'seller', '/ap2/deliver', { negotiationId, artifacts: [{ name: 'work', vaultId: first }] })
  const { items, total } = await list(headers)
  assert.deepEqual(
    items.map(({ id, bytes, isDelivered }) => [id, bytes, isDelivered]),
    [
      [second, 7, false],
      [first, 7, true],
    ],
  )
  assert.equal(total, 2)
  assert.deepEqual(Object.keys(items[0] ?? {}).sort(), [
    'bytes',
    'createdAt',
    'id',
    'isDelivered',
    'mimeType',
    'name',
    'sha256',
  ])
  const page = await list(headers, '?limit=1&offset=1')
  assert.deepEqual([page.items.map(({ id }) => id), page.total], [[first], 2])
})

test('reads a page by an index of the account or the agent', async () => {
  const { id } = market.buyer
  const page = { limit: 20, offset: 0 }
  for (const [holder, index] of [
    [part`a.account_id = ${id}`, /vault_artifact_listed/],
    [part`a.agent_id = ${id}`, /vault_artifact_agent/],
  ] as const) {
    const plan = await planOf(service, listArtifacts(holder, page), ['enable_seqscan', 'enable_sort'])
    assert.match(plan, index)
  }
})
