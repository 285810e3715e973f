import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { publishAgent, registerHuman, sharedService, type Person, type TestService } from '#test'

interface AgentJson {
  id: string
  slug: string
  name: string
  status: string
  description: string
  categories: string[]
  visibility: string
  missing: string[]
  trustTier: string
  trustScore: number
  verificationStatus: string
  creatorId: string
  claimedById: string | null
  ownerId: string
  walletId: string
  x402WalletAddress: string
  apiKey?: string
  pricing: { model: string; amount: number; currency: string }
  presence: { status: string; freshness: string }
  stats: object
  inputSchema: unknown
  outputSchema: unknown
  message: string | string[]
  tags: string[]
}

let service: TestService
let owner: Person
let other: Person

before(async () => {
  service = await sharedService()
  owner = await registerHuman(service)
  other = await registerHuman(service)
})
after(() => service.close())

const create = (body: object, token = owner.token) =>
  service.http<AgentJson>('POST', '/agents', { token, body })
const patch = (id: string, body: object, token = owner.token) =>
  service.http<AgentJson>('PATCH', `/agents/${id}`, { token, body })
const read = (path: string, token?: string) => service.http<AgentJson>('GET', path, { token })

test('creates an agent from a name alone and shows its key once', async () => {
  const { status, body } = await create({ name: 'Plain Agent' })
  assert.equal(status, 201)
  assert.match(body.apiKey ?? '', /^sa_/)
  assert.equal(body.slug, 'plain-agent')
  assert.equal(body.status, 'DRAFT')
  assert.deepEqual(body.categories, ['general'])
  assert.deepEqual(body.pricing, { model: 'custom', amount: 0, currency: 'USD' })
  assert.equal(body.visibility, 'PUBLIC')
  assert.deepEqual(body.missing, [
    'description',
    'tags',
    'capabilities',
    'pricing',
    'inputSchema',
    'outputSchema',
    'ap2Endpoint',
  ])
  assert.deepEqual(
    [body.trustTier, body.trustScore, body.verificationStatus],
    ['UNVERIFIED', 0, 'UNVERIFIED'],
  )
  assert.deepEqual([body.creatorId, body.claimedById, body.ownerId], [owner.id, owner.id, owner.id])
  assert.match(body.x402WalletAddress, /^0x[0-9a-fA-F]{40}$/)
  assert.deepEqual(body.stats, { executions: 0, completions: 0, rating: null })
  assert.equal(body.presence.status, 'unknown')
  const later = await read(`/agents/${body.id}`)
  assert.equal(later.body.apiKey, undefined)
})

test('gives each agent a wallet that its owner can read', async () => {
  const { body } = await create({ name: 'With wallet' })
  const wallet = await service.http<{ ownerType: string; ownerId: string; currency: string }>(
    'GET',
    `/wallets/${body.walletId}`,
    { token: owner.token },
  )
  assert.equal(wallet.status, 200)
  assert.deepEqual(
    [wallet.body.ownerType, wallet.body.ownerId, wallet.body.currency],
    ['AGENT', body.id, 'USD'],
  )
  assert.equal((await service.http('GET', `/wallets/${body.walletId}`, { token: other.token })).status, 403)
})

test('uses the given wallet address as the address of the agent', async () => {
  const walletAddress = `0x${'ab12'.repeat(10)}`
  const { status, body } = await create({ name: 'Own address', walletAddress })
  assert.equal(status, 201)
  assert.equal(body.x402WalletAddress.toLowerCase(), walletAddress)
})

const BAD_BODIES: [string, object][] = [
  ['no name', {}],
  ['an empty name', { name: '' }],
  ['a blank name', { name: '   ' }],
  ['a name of 101 characters', { name: 'x'.repeat(101) }],
  ['a number as name', { name: 5 }],
  ['a description of 5,001 characters', { name: 'a', description: 'x'.repeat(5001) }],
  ['an upper-case slug', { name: 'a', slug: 'Upper' }],
  ['a short slug', { name: 'a', slug: 'ab' }],
  ['21 tags', { name: 'a', tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }],
  ['a tag of 51 characters', { name: 'a', tags: ['x'.repeat(51)] }],
  ['a tag that is null', { name: 'a', tags: [null] }],
  ['51 capabilities', { name: 'a', capabilities: Array.from({ length: 51 }, (_, i) => `c${i}`) }],
  ['11 categories', { name: 'a', categories: Array.from({ length: 11 }, (_, i) => `c${i}`) }],
  ['a negative price', { name: 'a', pricing: { amount: -1 } }],
  ['a price of 7 decimals', { name: 'a', pricing: { amount: '0.0000001' } }],
  ['a price above 10^9', { name: 'a', pricing: { amount: 1_000_000_001 } }],
  ['an unknown pricing model', { name: 'a', pricing: { model: 'free' } }],
  ['an unknown currency', { name: 'a', pricing: { currency: 'EUR' } }],
  ['an unknown visibility', { name: 'a', visibility: 'HIDDEN' }],
  ['an endpoint that is no URL', { name: 'a', ap2Endpoint: 'nowhere' }],
  ['an endpoint that is no web address', { name: 'a', ap2Endpoint: 'file:///etc/passwd' }],
  ['an invalid schema', { name: 'a', outputSchema: { type: 'nonsense' } }],
  [
    'an output schema that refers elsewhere',
    { name: 'a', outputSchema: { $ref: 'https://example.com/schema' } },
  ],
  [
    'a sample that does not fit its schema',
    { name: 'a', inputSchema: { type: 'object', required: ['page'], examples: [{ page: 1 }, {}] } },
  ],
  ['a schema of 64 KiB', { name: 'a', inputSchema: { description: 'x'.repeat(66_000) } }],
  ['an invalid wallet address', { name: 'a', walletAddress: '0x12' }],
  ['a trust tier', { name: 'a', trustTier: 'TRUSTED' }],
  ['an owner', { name: 'a', ownerId: randomUUID() }],
  ['text with NUL', { name: 'a\u0000b' }],
]
for (const [what, body] of BAD_BODIES) {
  test(`an agent with ${what} is refused with 400`, async () => {
    const { status, body: answer } = await create(body)
    assert.equal(status, 400)
    assert.ok(answer.message)
  })
}

test('accepts the caller as creatorId and rejects another account with 403', async () => {
  assert.equal((await create({ name: 'Mine', creatorId: other.id })).status, 403)
  assert.equal((await create({ name: 'Mine', creatorId: owner.id })).status, 201)
})

test('accepts values at the limits', async () => {
  const body = {
    name: 'x'.repeat(100),
    description: 'ü'.repeat(5000),
    tags: Array.from({ length: 20 }, () => 't'.repeat(50)),
    capabilities: Array.from({ length: 50 }, () => 'c'.repeat(100)),
    pricing: { model: 'fixed', amount: '1000000000' },
    outputSchema: { type: 'object', required: ['text'] },
  }
  const { status, body: agent } = await create(body)
  assert.equal(status, 201)
  assert.equal(agent.pricing.amount, 1_000_000_000)
  assert.deepEqual(agent.outputSchema, body.outputSchema)
})

test('changes only the given fields with PUT and PATCH', async () => {
  const { body: agent } = await create({
    name: 'Before',
    description: 'stored',
    tags: ['old'],
    pricing: { model: 'fixed', amount: 5 },
  })
  for (const method of ['PUT', 'PATCH']) {
    const { status, body } = await service.http<AgentJson>(method, `/agents/${agent.id}`, {
      token: owner.token,
      body: { name: `After ${method}`, tags: ['new'], pricing: { amount: 7.25 } },
    })
    assert.equal(status, 200)
    assert.deepEqual(
      [body.name, body.description, body.tags, body.pricing],
      [`After ${method}`, 'stored', ['new'], { model: 'fixed', amount: 7.25, currency: 'USD' }],
    )
  }
  const schema = { type: 'object', required: ['page'], examples: [{ page: 1 }] }
  assert.deepEqual((await patch(agent.id, { inputSchema: schema })).body.inputSchema, schema)
  assert.deepEqual((await service.http('GET', `/agents/${agent.id}/schema`)).body, {
    inputSchema: schema,
    outputSchema: null,
  })
  assert.equal((await patch(agent.id, { inputSchema: null })).body.inputSchema, null)
  assert.equal((await patch(agent.id, {})).status, 200)
  assert.equal((await patch(agent.id, { trustScore: 100 })).status, 400)
})

test('answers 404 for an unknown id or slug on every route', async () => {
  for (const id of [randomUUID(), 'not-an-id', '%00', '0']) {
    for (const path of [
      `/agents/${id}`,
      `/agents/${id}/schema`,
      `/agents/${id}/badge`,
      `/agents/slug/${id}`,
      `/agents/slug/${id}/badge`,
    ]) {
      assert.equal((await read(path)).status, id === '%00' && path.includes('slug') ? 400 : 404, path)
    }
    for (const path of ['publish', 'submit', 'claim-link'])
      assert.equal(
        (await service.http('POST', `/agents/${id}/${path}`, { token: owner.token })).status,
        404,
        path,
      )
    assert.equal((await patch(id, { name: 'x' })).status, 404)
  }
})

test('rejects changes to an agent of another account', async () => {
  const mine = await publishAgent(service, owner)
  const theirs = await publishAgent(service, other)
  for (const [agent, token] of [
    [mine, other.token],
    [theirs, owner.token],
  ] as const) {
    for (const [method, path, body] of [
      ['PUT', '', { name: 'Stolen' }],
      ['PATCH', '', { status: 'ARCHIVED' }],
      ['POST', '/publish', undefined],
      ['POST', '/submit', {}],
      ['POST', '/claim-link', undefined],
      ['POST', '/keys', undefined],
    ] as const) {
      assert.equal(
        (await service.http(method, `/agents/${agent.id}${path}`, { token, body })).status,
        403,
        `${method} ${path}`,
      )
      assert.equal(
        (await service.http(method, `/agents/${agent.id}${path}`, { body })).status,
        401,
        `${method} ${path}`,
      )
    }
    assert.notEqual((await read(`/agents/${agent.id}`)).body.name, 'Stolen')
  }
})

test('lists only agents of the caller under my-agents, including drafts', async () => {
  const someone = await registerHuman(service)
  const { body: draft } = await create({ name: 'A draft' }, someone.token)
  const listed = await publishAgent(service, someone)
  const { status, body } = await service.http<{
    items: { id: string }[]
    total: number
    limit: number
    offset: number
  }>('GET', '/agents/my-agents', { token: someone.token })
  assert.equal(status, 200)
  assert.deepEqual(
    body.items.map(item => item.id),
    [listed.id, draft.id],
  )
  assert.deepEqual([body.total, body.limit, body.offset], [2, 20, 0])
  const second = await service.http<{ items: { id: string }[]; total: number }>(
    'GET',
    '/agents/my-agents?limit=1&offset=1',
    { token: someone.token },
  )
  assert.deepEqual([second.body.items.map(item => item.id), second.body.total], [[draft.id], 2])
  assert.equal((await service.http('GET', '/agents/my-agents')).status, 401)
})
