import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { sql } from '#platform/kernel/sql'
import {
  publishAgent,
  registerHuman,
  startTestService,
  type ListedAgent,
  type Person,
  type TestService,
} from '#test'

interface List {
  agents: { id: string; name: string }[]
  total: number
  limit: number
  offset: number
  nextCursor: string | null
  message: string[]
}

let service: TestService
let owner: Person
let other: Person
const agents: Record<string, ListedAgent> = {}

before(async () => {
  service = await startTestService()
  owner = await registerHuman(service)
  other = await registerHuman(service)
  const listed = async (name: string, fields: object, who = owner) => {
    agents[name] = await publishAgent(service, who, { name, ...fields })
  }
  await listed('Zebra Lawyer', {
    description: 'Reads contracts',
    tags: ['Legal'],
    capabilities: ['contract-review', 'summaries'],
    categories: ['law'],
    pricing: { model: 'fixed', amount: 40 },
    conduit: 'mcp',
    role: 'seller',
  })
  await listed('Painter', {
    description: 'Once drew a zebra in a contract',
    tags: ['art'],
    capabilities: ['drawing'],
    categories: ['design'],
    pricing: { model: 'fixed', amount: 10 },
  })
  await listed('Zoo keeper', { tags: ['zebra'], pricing: { model: 'per_call', amount: '0.000001' } }, other)
  await listed('The Who', { description: 'Sings' })
  await listed('Hidden zebra', { visibility: 'PRIVATE' })
  await listed('Linked zebra', { visibility: 'UNLISTED' })
  await service.http('POST', '/agents', { token: owner.token, body: { name: 'Draft zebra' } })
  const now = service.services.clock.real()
  const set = (name: string, known: { tier: string; score: number; completions: number; seen: Date }) =>
    service.services.db.run(sql`
    update agents_agent set trust_tier = ${known.tier}, trust_score = ${known.score},
      completions = ${known.completions}, last_seen_at = ${known.seen} where id = ${agents[name]?.id}`)
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
  await set('Zebra Lawyer', { tier: 'TRUSTED', score: 90, completions: 5, seen: now })
  await set('Painter', { tier: 'VERIFIED', score: 40, completions: 50, seen: minutesAgo(11) })
  await set('Zoo keeper', { tier: 'BASIC', score: 20, completions: 3, seen: minutesAgo(5) })
})
after(() => service.close())

const list = (query: Record<string, string>, token?: string, path = '/agents') =>
  service.http<List>('GET', `${path}?${new URLSearchParams(query).toString()}`, { token })
const names = async (query: Record<string, string>, token?: string) =>
  (await list(query, token)).body.agents.map(agent => agent.name)
const ALL = ['The Who', 'Zoo keeper', 'Painter', 'Zebra Lawyer']

const FOUND: [Record<string, string>, string[]][] = [
  [{}, ALL],
  [{ search: 'zebra' }, ['Zebra Lawyer', 'Zoo keeper', 'Painter']],
  [{ search: 'zebras' }, ['Zebra Lawyer', 'Zoo keeper', 'Painter']],
  [{ search: 'zebra -contract' }, ['Zoo keeper']],
  [{ search: 'zebra contracts' }, ['Zebra Lawyer', 'Painter']],
  [{ search: '"reads contracts"' }, ['Zebra Lawyer']],
  [{ search: 'sings OR drawing' }, ['Painter', 'The Who']],
  [{ search: 'the who' }, ['The Who']],
  [{ search: 'contract-review' }, ['Zebra Lawyer']],
  [{ search: 'unicorn' }, []],
  [{ search: '!!!' }, []],
  [{ search: "'; drop table agents_agent; --" }, []],
  [{ search: '  ' }, ALL],
  [{ search: '' }, ALL],
  [{ category: 'LAW' }, ['Zebra Lawyer']],
  [{ category: 'general' }, ['The Who', 'Zoo keeper']],
  [{ tag: 'legal' }, ['Zebra Lawyer']],
  [{ capabilities: 'Contract-Review, summaries' }, ['Zebra Lawyer']],
  [{ capabilities: 'contract-review,drawing' }, []],
  [{ maxPrice: '10' }, ['The Who', 'Zoo keeper', 'Painter']],
  [{ maxPrice: '0' }, []],
  [{ minReputation: '40' }, ['Painter', 'Zebra Lawyer']],
  [{ verifiedOnly: 'true' }, ['Painter', 'Zebra Lawyer']],
  [{ filterVerified: 'true' }, ['Painter', 'Zebra Lawyer']],
  [{ filterVerified: 'false' }, ALL],
  [{ filterOnline: 'true' }, ['Zoo keeper', 'Zebra Lawyer']],
  [{ filterOnline: 'false' }, ALL],
  [{ filterRole: 'Seller' }, ['Zebra Lawyer']],
  [{ conduit: 'MCP' }, ['Zebra Lawyer']],
  [{ creatorId: 'nobody' }, []],
  [{ status: 'ACTIVE' }, ALL],
  [{ status: 'DRAFT' }, []],
  [{ visibility: 'PRIVATE' }, []],
  [{ sortBy: 'price' }, ['The Who', 'Zoo keeper', 'Painter', 'Zebra Lawyer']],
  [{ sortBy: 'price', sortOrder: 'desc' }, ['Zebra Lawyer', 'Painter', 'Zoo keeper', 'The Who']],
  [{ sortBy: 'trustScore' }, ['Zebra Lawyer', 'Painter', 'Zoo keeper', 'The Who']],
  [{ sortBy: 'trustScore', sortOrder: 'asc' }, ['The Who', 'Zoo keeper', 'Painter', 'Zebra Lawyer']],
  [{ sortBy: 'completions' }, ['Painter', 'Zebra Lawyer', 'Zoo keeper', 'The Who']],
  [{ sortBy: 'lastSeen' }, ['Zebra Lawyer', 'Zoo keeper', 'Painter', 'The Who']],
  [{ sortBy: 'createdAt', sortOrder: 'asc' }, ALL.toReversed()],
  [{ search: 'zebra', sortBy: 'price' }, ['Zoo keeper', 'Painter', 'Zebra Lawyer']],
  [{ search: 'zebra', sortBy: 'relevance', sortOrder: 'asc' }, ['Painter', 'Zoo keeper', 'Zebra Lawyer']],
]
for (const [query, expected] of FOUND) {
  const filter = new URLSearchParams(query).toString() || 'no filter'
  test(`${filter} finds ${expected.join(', ') || 'nothing'}`, async () => {
    const { status, body } = await list(query)
    assert.equal(status, 200)
    assert.deepEqual(
      body.agents.map(agent => agent.name),
      expected,
    )
    assert.equal(body.total, expected.length)
  })
}

const BAD: Record<string, string>[] = [
  { status: 'LIVE' },
  { visibility: 'secret' },
  { maxPrice: 'cheap' },
  { maxPrice: '-1' },
  { maxPrice: '1e30' },
  { maxPrice: '0.0000001' },
  { minReputation: '101' },
  { minReputation: '-1' },
  { minReputation: 'high' },
  { verifiedOnly: 'yes' },
  { filterVerified: '2' },
  { filterOnline: 'maybe' },
  { showAll: 'all' },
  { sortBy: 'name' },
  { sortOrder: 'up' },
  { limit: '0' },
  { limit: '101' },
  { limit: '1.5' },
  { limit: 'ten' },
  { offset: '-1' },
  { offset: 'x' },
  { search: 'x'.repeat(201) },
  { category: 'x'.repeat(51) },
  { tag: 'x'.repeat(51) },
  { capabilities: 'x'.repeat(1001) },
  { conduit: 'x'.repeat(51) },
  { creatorId: 'x'.repeat(201) },
  { filterRole: 'x'.repeat(51) },
  { search: 'a\u0000b' },
]
for (const query of BAD) {
  test(`${new URLSearchParams(query).toString().slice(0, 40)} is refused with 400`, async () => {
    const { status, body } = await list(query)
    assert.equal(status, 400)
    assert.ok(body.message)
  })
}

test('finds the listed agents of one account by creatorId', async () => {
  assert.deepEqual(await names({ creatorId: other.id }), ['Zoo keeper'])
})

test("showAll adds the caller's own agents, for an admin all, for others none", async () => {
  assert.deepEqual(await names({ search: 'zebra', showAll: 'true' }), [
    'Zebra Lawyer',
    'Zoo keeper',
    'Painter',
  ])
  assert.equal((await names({ search: 'zebra', showAll: 'true' }, other.token)).length, 3)
  assert.equal((await names({ search: 'zebra', showAll: 'true' }, owner.token)).length, 6)
  assert.equal((await names({ search: 'zebra', showAll: 'true' }, await service.adminToken())).length, 6)
  assert.deepEqual(await names({ showAll: 'true', status: 'DRAFT' }, owner.token), ['Draft zebra'])
  assert.deepEqual(await names({ showAll: 'true', visibility: 'UNLISTED' }, owner.token), ['Linked zebra'])
  assert.deepEqual(await names({ showAll: 'true', status: 'DRAFT' }, other.token), [])
})

test('returns consecutive pages without gaps or duplicates', async () => {
  const pages = await Promise.all([0, 1, 2, 3, 4].map(offset => list({ limit: '1', offset: String(offset) })))
  assert.deepEqual(
    pages.flatMap(page => page.body.agents.map(agent => agent.name)),
    ALL,
  )
  assert.deepEqual([pages[1]?.body.total, pages[1]?.body.limit, pages[1]?.body.offset], [4, 1, 1])
})

test('discovers each listed agent once, ordered by trust', async () => {
  const seen: string[] = []
  let cursor: string | null = ''
  do {
    const { status, body }: { status: number; body: List } = await list(
      { limit: '2', cursor },
      undefined,
      '/agents/discover',
    )
    assert.deepEqual([status, body.total], [200, 4])
    seen.push(...body.agents.map(agent => agent.name))
    cursor = body.nextCursor
  } while (cursor)
  assert.deepEqual(seen, ['Zebra Lawyer', 'Painter', 'Zoo keeper', 'The Who'])
  assert.deepEqual(
    (await list({ search: 'zebra', minReputation: '40' }, undefined, '/agents/discover')).body.agents.map(
      agent => agent.name,
    ),
    ['Zebra Lawyer', 'Painter'],
  )
})

for (const cursor of [
  'nonsense',
  Buffer.from('90 not-an-id').toString('base64url'),
  Buffer.from('x').toString('base64url'),
]) {
  test(`discover refuses the cursor ${cursor} with 400`, async () => {
    assert.equal((await list({ cursor }, undefined, '/agents/discover')).status, 400)
  })
}

test('finds an agent right after publication and not after a pause', async () => {
  const fresh = await publishAgent(service, owner, { name: 'Quokka whisperer' })
  assert.deepEqual(await names({ search: 'quokka' }), ['Quokka whisperer'])
  await service.http('PATCH', `/agents/${fresh.id}`, { token: owner.token, body: { status: 'PAUSED' } })
  assert.deepEqual(await names({ search: 'quokka' }), [])
})

test('a maximum price of 0 finds what is free, and no price on request', async () => {
  const fields = { tags: ['wombat'], categories: ['wombats'] }
  const free = await publishAgent(service, owner, { name: 'Free', ...fields, pricing: { model: 'fixed' } })
  const asking = await publishAgent(service, owner, { name: 'On request', ...fields })
  const within: Record<string, string>[] = [{ tag: 'wombat' }, { category: 'wombats' }]
  for (const filter of within) {
    assert.deepEqual(await names({ ...filter, maxPrice: '0' }), ['Free'])
    assert.deepEqual(await names({ ...filter, maxPrice: '0.01' }), ['On request', 'Free'])
  }
  for (const { id } of [free, asking])
    await service.http('PATCH', `/agents/${id}`, { token: owner.token, body: { status: 'PAUSED' } })
})

test('counts a category as it is after each change of an agent', async () => {
  const fields = { categories: ['Rare One', 'rare two'], pricing: { model: 'fixed', amount: 7 } }
  const { id } = await publishAgent(service, owner, { name: 'Counted', ...fields })
  const totals = async () =>
    Promise.all(
      ['category=rare+one', 'category=RARE+TWO', 'category=rare+one&maxPrice=6'].map(
        async query => (await service.http<List>('GET', `/agents?${query}`)).body.total,
      ),
    )
  const change = async (body: object) => {
    assert.equal((await service.http('PATCH', `/agents/${id}`, { token: owner.token, body })).status, 200)
    return totals()
  }
  assert.deepEqual(await totals(), [1, 1, 0])
  assert.deepEqual(await change({ pricing: { amount: 6 } }), [1, 1, 1])
  assert.deepEqual(await change({ categories: ['rare two', 'Rare Two'] }), [0, 1, 0])
  assert.deepEqual(await change({ visibility: 'UNLISTED' }), [0, 0, 0])
  assert.deepEqual(await change({ visibility: 'PUBLIC', status: 'PAUSED' }), [0, 0, 0])
  assert.deepEqual(await change({ status: 'ACTIVE' }), [0, 1, 0])
  assert.deepEqual(await change({ status: 'PAUSED' }), [0, 0, 0])
})

test('counts totals exactly up to 10,000 and marks larger ones as capped', async () => {
  const { db } = service.services
  await db.run(sql`alter table agents_agent drop constraint agents_agent_one_wallet`)
  const clone = (count: number, name: string) =>
    db.run(sql`
    insert into agents_agent (id, slug, name, description, categories, tags, capabilities,
      pricing_model, price, price_currency, visibility,
      fulfillment_types,       status, creator_id, wallet_id, created_at, updated_at)
    select gen_random_uuid(), ${name}::text || i, ${name}::text, description, categories, '{}', '{}',
      pricing_model, price, price_currency, visibility,
      fulfillment_types,       status, creator_id, wallet_id, created_at, updated_at
    from agents_agent, generate_series(1, ${count}::int) i where id = ${agents['The Who']?.id}`)
  await clone(10_000, 'Locust')
  const { body } = await service.http<List & { totalIsCapped?: boolean }>(
    'GET',
    '/agents?search=locust&limit=1&offset=9999',
  )
  assert.deepEqual([body.total, body.totalIsCapped, body.agents.length], [10_000, undefined, 1])
  await clone(1, 'Another locust')
  const { body: more } = await service.http<List & { totalIsCapped?: boolean }>(
    'GET',
    '/agents?search=locust&limit=1',
  )
  assert.deepEqual([more.total, more.totalIsCapped, more.agents.length], [10_000, true, 1])
})
