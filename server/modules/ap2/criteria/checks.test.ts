import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  as,
  BuyerSite,
  heldDeal,
  mailsSettled,
  mailsTo,
  mailTo,
  must,
  openMarket,
  readEscrow,
  startTestService,
  type CriterionView,
  type DealView,
  type Market,
  type TestService,
} from '#test'

const DAY = 86_400

interface Delivered {
  message: string
  details: { code: string; reason: string; criteria: CriterionView[] }
  delivery: { id: string; status: string; criteria: CriterionView[] }
}

let service: TestService
let market: Market
let site: BuyerSite
/** Not every machine can run one: then nothing can be said about a selector. */
let hasBrowser: boolean

before(async () => {
  service = await startTestService()
  market = await openMarket(service)
  site = await BuyerSite.open()
  hasBrowser = (await service.services.verifier.check(`${site.base}/page`)).verifier === 'chromium'
})
after(async () => {
  await site.close()
  await service.close()
})

const everyKind = () => [
  { key: 'shape', kind: 'json-schema', schema: { type: 'object', required: ['title'] } },
  { key: 'page', kind: 'url', url: `${site.base}/page`, status: 200, text: 'It is done', ...selector() },
  {
    key: 'report',
    kind: 'file',
    name: 'report',
    type: 'application/pdf',
    size: { max: 100 },
    sha256: site.sha256,
  },
  site.checker(),
  { key: 'tone', kind: 'rubric', text: 'It reads well', weight: 3 },
]
const selector = () => (hasBrowser ? { selector: 'p#done' } : {})
const agreed = (acceptance: unknown) => ({ requirements: { acceptance } })
const deliver = (deal: DealView, more: object = {}) =>
  as<Delivered>(market, 'seller', '/ap2/deliver', {
    negotiationId: deal.id,
    result: { title: 'Work' },
    artifacts: [{ name: 'report', url: `${site.base}/report.pdf` }],
    ...more,
  })
const statuses = (results: CriterionView[]) =>
  Object.fromEntries(results.map(({ key, status }) => [key, status]))

test('a failed criterion of each kind blocks the automatic release and is named', async () => {
  const deal = await heldDeal(market, agreed(everyKind()))
  const failures: [key: string, set: () => void, work: object, rest: object][] = [
    ['shape', () => {}, { result: {} }, { page: 'PASSED', report: 'PASSED', suite: 'PENDING' }],
    [
      'page',
      () => (site.page = hasBrowser ? '<p>It is done</p>' : '<p>Soon</p>'),
      {},
      { shape: 'PASSED', report: 'PASSED', suite: 'PENDING' },
    ],
    [
      'report',
      () => (site.page = '<p id="done">It is done</p>'),
      { artifacts: [{ name: 'report', url: `${site.base}/page` }] },
      { shape: 'PASSED', page: 'PASSED', suite: 'PENDING' },
    ],
    ['suite', () => (site.answer = 'fail'), {}, { shape: 'PASSED', page: 'PASSED', report: 'PASSED' }],
  ]
  for (const [key, set, more, rest] of failures) {
    set()
    const { status, body, text } = await deliver(deal, more)
    assert.deepEqual([status, body.details.code], [400, 'criterion_failed'], text)
    assert.match(body.message, /^Verification failed/)
    assert.match(body.details.reason, new RegExp(`^criterion "${key}": `))
    assert.deepEqual(statuses(body.details.criteria), { ...rest, [key]: 'FAILED', tone: 'PENDING' })
    const escrow = await readEscrow(market, deal.escrowId)
    assert.deepEqual([escrow.deliveryStatus, escrow.autoReleaseAt], ['FAILED', null])
  }
  site.answer = 'pass'
  const good = await deliver(deal)
  assert.equal(good.status, 201, good.text)
  assert.deepEqual(statuses(good.body.delivery.criteria), {
    shape: 'PASSED',
    page: 'PASSED',
    report: 'PASSED',
    suite: 'PASSED',
    tone: 'PENDING',
  })
  assert.deepEqual(good.body.delivery.criteria.at(3)?.detail, 'it is a pass')
  await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/changes`, {
    reason: 'too dry',
    criteria: ['tone'],
  })
  const sent = await must<Delivered['delivery']>(
    market,
    'buyer',
    `/payments/escrow/${deal.escrowId}/deliveries/${good.body.delivery.id}`,
  )
  assert.deepEqual([sent.status, statuses(sent.criteria).tone], ['SUPERSEDED', 'FAILED'])
  assert.equal((await readEscrow(market, deal.escrowId)).autoReleaseAt, null)
  assert.equal((await deliver(deal)).status, 201)
  assert.ok(site.asked.every(({ isSigned, criterion }) => isSigned && criterion === 'suite'))
  await service.advance(7 * DAY + 60)
  assert.equal((await readEscrow(market, deal.escrowId)).status, 'RELEASED')
})

test('an inconclusive delivery of a disputed deal promises no release', async () => {
  site.answer = 'broken'
  const deal = await heldDeal(market, agreed([site.checker({ timeoutSeconds: 1 })]))
  const { body, text } = await deliver(deal)
  assert.equal(body.delivery.status, 'VERIFYING', text)
  await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/dispute`, { reason: 'not what I asked for' })
  await service.advance(2)
  const mail = await mailTo(service, market.buyer.email, new RegExp(`could not be checked[^]*${deal.id}`))
  assert.match(mail.text, /waits until the dispute has ended/)
  assert.doesNotMatch(mail.text, /released automatically/)
})

test('a broken checker is inconclusive at its deadline: the review of the buyer begins', async () => {
  for (const [kind, detail] of [
    ['hang', /gave no usable answer in 1 s/],
    ['broken', /gave no usable answer in 1 s/],
    ['lie', /not signed with its secret/],
    ['other', /not signed with its secret/],
    ['garbage', /is not \{"result"/],
  ] as const) {
    site.answer = kind
    const deal = await heldDeal(market, agreed([site.checker({ timeoutSeconds: 1 })]))
    const { status, body, text } = await deliver(deal)
    assert.equal(status, 201, text)
    if (body.delivery.status === 'VERIFYING') await service.advance(2)
    const escrow = await readEscrow(market, deal.escrowId)
    const [result] = (escrow.deliveries.at(-1) as unknown as Delivered['delivery']).criteria
    assert.deepEqual([escrow.deliveryStatus, result?.status], ['VERIFIED', 'ERROR'], kind)
    assert.match(result?.detail ?? '', detail)
    const mail = await mailTo(service, market.buyer.email, new RegExp(`1 of its 1 acceptance[^]*${deal.id}`))
    assert.match(mail.subject, /A delivery could not be checked in full$/)
    assert.equal((await mailsAbout(deal)).length, 1, 'one mail about one delivery')
    if (kind !== 'garbage') continue
    await service.advance(7 * DAY + 60)
    assert.equal((await readEscrow(market, deal.escrowId)).status, 'RELEASED')
  }
})

/** The mails to the buyer about deliveries of a deal, once no mail waits. */
async function mailsAbout({ id }: DealView) {
  await mailsSettled(service)
  const mails = await mailsTo(service, market.buyer.email)
  return mails.filter(({ subject, text }) => /delivery/i.test(subject) && text.includes(id))
}

/** Advances the clock until the delivery has a verdict. */
async function verdictOf(deal: DealView): Promise<string> {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    const { deliveryStatus } = await readEscrow(market, deal.escrowId)
    if (deliveryStatus !== 'VERIFYING') return deliveryStatus
    await service.advance(5)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return 'VERIFYING'
}

test('a checker that needs longer is asked again, and its later answer decides', async () => {
  for (const [then, verdict] of [
    ['pass', 'VERIFIED'],
    ['fail', 'FAILED'],
  ] as const) {
    site.answer = 'later'
    const deal = await heldDeal(market, agreed([site.checker({ timeoutSeconds: 3600 })]))
    const { status, body } = await deliver(deal)
    assert.deepEqual(
      [status, body.delivery.status, statuses(body.delivery.criteria)],
      [201, 'VERIFYING', { suite: 'PENDING' }],
    )
    const again = await deliver(deal)
    assert.deepEqual([again.status, again.body.message], [409, 'Cannot deliver while VERIFYING'])
    site.answer = then
    assert.equal(await verdictOf(deal), verdict)
  }
})
