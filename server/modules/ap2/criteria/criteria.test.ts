import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  as,
  BuyerSite,
  heldDeal,
  must,
  negotiate,
  openMarket,
  readDeal,
  sharedService,
  type CriterionView,
  type DealView,
  type Market,
  type TestService,
} from '#test'

const SECRET = 'a secret of 24 characters or more'

interface Delivered {
  message: string
  details: { code: string; reason: string; criteria: CriterionView[] }
  delivery: { id: string; status: string; criteria: CriterionView[] }
}
type Deal = DealView & { acceptance: Record<string, unknown>[] }

let service: TestService
let market: Market
let site: BuyerSite
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
  site = await BuyerSite.open()
})
after(async () => {
  await site.close()
  await service.close()
})

const agreed = (acceptance: unknown) => ({ requirements: { acceptance } })
const deliver = (deal: DealView, more: object = {}) =>
  as<Delivered>(market, 'seller', '/ap2/deliver', {
    negotiationId: deal.id,
    result: { title: 'Work' },
    artifacts: [{ name: 'report', url: `${site.base}/report.pdf` }],
    ...more,
  })

const REFUSED: [what: string, acceptance: unknown, message: RegExp][] = [
  ['no list', { key: 'a' }, /requirements.acceptance must be a list/],
  ['no object', ['a'], /acceptance\[0\] must be an object/],
  ['no key', [{ kind: 'rubric', text: 'a' }], /\[0\].key is required/],
  ['a key with spaces', [{ key: 'a b', kind: 'rubric', text: 'a' }], /\[0\].key must have letters/],
  ['an unknown kind', [{ key: 'a', kind: 'magic' }], /\[0\].kind must be one of json-schema, url/],
  [
    'two of one key',
    [
      { key: 'a', kind: 'rubric', text: 'a' },
      { key: 'a', kind: 'rubric', text: 'b' },
    ],
    /different keys/,
  ],
  [
    'too many',
    Array.from({ length: 21 }, (_, at) => ({ key: `k${at}`, kind: 'rubric', text: 'a' })),
    /at most 20/,
  ],
  ['a misspelled field', [{ key: 'a', kind: 'url', selecter: 'p' }], /\[0\].selecter is not known/],
  [
    'an unusable schema',
    [{ key: 'a', kind: 'json-schema', schema: { type: 'nonsense' } }],
    /\[0\].schema cannot be used/,
  ],
  ['a file without a condition', [{ key: 'a', kind: 'file' }], /must have a type, a size or a sha256/],
  ['a short sha256', [{ key: 'a', kind: 'file', sha256: 'abc' }], /sha256 must have 64/],
  ['a size that nothing has', [{ key: 'a', kind: 'file', size: { min: 5, max: 4 } }], /size must be/],
  ['a redirect as status', [{ key: 'a', kind: 'url', status: 302 }], /status must not be a redirect/],
  [
    'a checker without a secret',
    [{ key: 'a', kind: 'checker', url: 'https://example.com' }],
    /secret is required/,
  ],
  [
    'a checker with a weak secret',
    [{ key: 'a', kind: 'checker', url: 'https://example.com', secret: 'whsec_AAAA' }],
    /secret is required/,
  ],
  [
    'a deadline above an hour',
    [{ key: 'a', kind: 'checker', url: 'https://example.com', secret: SECRET, timeoutSeconds: 3601 }],
    /timeoutSeconds must be an integer from 1 to 3600/,
  ],
  [
    'no address',
    [{ key: 'a', kind: 'checker', url: 'ftp://example.com', secret: SECRET }],
    /url must be an http or https URL/,
  ],
  ['a weight of zero', [{ key: 'a', kind: 'rubric', text: 'a', weight: 0 }], /weight must be an integer/],
  [
    'another milestone',
    [{ key: 'a', kind: 'rubric', text: 'a', milestoneKey: 'b' }],
    /milestoneKey must be the key of a milestone/,
  ],
]

test('refuses criteria that nothing could be checked against, and says which', async () => {
  for (const [what, acceptance, message] of REFUSED) {
    const { status, text } = await as(market, 'buyer', '/ap2/negotiate', {
      responderAgentId: market.agent.id,
      requestedService: 'Release notes',
      budget: 100,
      ...agreed(acceptance),
    })
    assert.equal(status, 400, `${what}: ${text}`)
    assert.match(text, message, what)
  }
})

test('a counter-offer replaces the criteria; only the buyer sets a checker, whose secret is never shown', async () => {
  const { id } = await negotiate(
    market,
    agreed([site.checker(), { key: 'tone', kind: 'rubric', text: 'It reads well' }]),
  )
  const counter = (acceptance: unknown) =>
    as<Deal>(market, 'seller', '/ap2/respond', {
      negotiationId: id,
      status: 'COUNTERED',
      price: 90,
      acceptance,
    })
  for (const foreign of [site.checker(), site.checker({ secret: undefined, url: `${site.base}/other` })]) {
    const { status, text } = await counter([foreign])
    assert.deepEqual([status, /only the buyer sets a checker/.test(text)], [400, true], text)
  }
  const countered = await counter([site.checker({ secret: undefined, timeoutSeconds: 30 })])
  assert.equal(countered.status, 201, countered.text)
  assert.deepEqual(countered.body.acceptance, [
    { key: 'suite', kind: 'checker', weight: 1, url: `${site.base}/check`, timeoutSeconds: 30 },
  ])
  const accepting = { negotiationId: id, status: 'ACCEPTED', acceptance: [] }
  assert.equal((await as(market, 'buyer', '/ap2/respond', accepting)).status, 400)
  await must(market, 'buyer', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })
  await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId: id })
  site.answer = 'pass'
  assert.equal((await deliver(await readDeal(market, id))).status, 201)
  assert.equal(site.asked.at(-1)?.isSigned, true)
})

test('a criterion of one milestone is checked with the deliveries of that milestone', async () => {
  const deal = await heldDeal(market, {
    milestones: [
      { key: 'one', amount: 40 },
      { key: 'two', amount: 60 },
    ],
    ...agreed([{ key: 'shape', kind: 'json-schema', schema: { type: 'array' }, milestoneKey: 'two' }]),
  })
  const first = await deliver(deal, { milestoneKey: 'one' })
  assert.deepEqual([first.status, first.body.delivery.criteria], [201, []], first.text)
  assert.equal((await deliver(deal, { milestoneKey: 'two' })).status, 400)
})

test('a dispute names criteria, and their weights decide how it is split', async () => {
  const acceptance = [
    { key: 'shape', kind: 'json-schema', schema: {}, weight: 1 },
    { key: 'tone', kind: 'rubric', text: 'It reads well', weight: 3 },
  ]
  const open = async (criteria?: string[]) => {
    const deal = await heldDeal(market, agreed(acceptance))
    const path = `/payments/escrow/${deal.escrowId}/dispute`
    return {
      deal,
      answer: await as<{ dispute: object }>(market, 'buyer', path, { reason: 'too dry', criteria }),
    }
  }
  const unknown = await open(['price'])
  assert.deepEqual(
    [unknown.answer.status, /must be keys of acceptance criteria: shape, tone/.test(unknown.answer.text)],
    [400, true],
  )
  const { deal, answer: opened } = await open(['tone'])
  const { dispute } = opened.body as { dispute: { criteria: string[]; proposedSplit: object } }
  assert.deepEqual(
    [dispute.criteria, dispute.proposedSplit],
    [['tone'], { sellerBps: 2500, failed: ['tone'] }],
  )
  const resolve = (escrowId: string, body: object) =>
    as<{ escrow: { status: string; released: string; refunded: string } }>(
      market,
      'operator',
      `/payments/escrow/${escrowId}/resolve`,
      { reason: 'decided', ...body },
    )
  assert.equal((await resolve(deal.escrowId, {})).status, 400)
  assert.equal(
    (await resolve(deal.escrowId, { byCriteria: true, outcome: 'SPLIT', sellerBps: 1 })).status,
    400,
  )
  const split = await resolve(deal.escrowId, { byCriteria: true })
  assert.deepEqual(
    [split.status, split.body.escrow.status, split.body.escrow.released, split.body.escrow.refunded],
    [201, 'SPLIT', '25.00', '75.00'],
    split.text,
  )
  const silent = await open()
  assert.equal((await resolve(silent.deal.escrowId, { byCriteria: true })).status, 400)
  const all = await resolve(silent.deal.escrowId, { failedCriteria: ['tone', 'shape'] })
  assert.deepEqual([all.status, all.body.escrow.status], [201, 'REFUNDED'], all.text)
})
