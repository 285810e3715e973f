import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import {
  as,
  heldDeal,
  openMarket,
  readEscrow,
  sharedService,
  type DealView,
  type Market,
  type TestService,
} from '#test'

interface Seen {
  ok: boolean
  code: string
  reason: string
  kind: string
  status: number | null
  contentType: string
  bytes: number
  sha256: string
  artifacts?: (Seen & { name: string; url: string })[]
}
interface Delivered {
  code: string
  details: Seen & { deliveryId: string }
  delivery: { status: string; report: Seen }
}

const FILES: Record<string, [type: string, content: Buffer]> = {
  '/report.pdf': ['application/pdf', Buffer.from('%PDF-1.4\nreport')],
  '/picture.png': ['image/png', Buffer.from('\u0089PNG', 'latin1')],
  '/work.zip': ['application/zip', Buffer.from('PK\u0005\u0006work')],
  '/page': ['text/html; charset=utf-8', Buffer.from('<title>Work</title><p>done</p>')],
}
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

let service: TestService
let market: Market
let site: Server
let asked: string[] = []
const at = (path: string) => `http://127.0.0.1:${(site.address() as AddressInfo).port}${path}`
const deliver = (deal: DealView, body: object) =>
  as<Delivered>(market, 'seller', '/ap2/deliver', { negotiationId: deal.id, ...body })

before(async () => {
  service = await sharedService()
  market = await openMarket(service)
  site = createServer((request, response) => {
    asked.push(request.url ?? '')
    const [type, content] = FILES[request.url ?? ''] ?? []
    if (!type) return void response.writeHead(404).end()
    response
      .writeHead(200, {
        'content-type': type,
        ...(type === 'application/zip' ? { 'content-disposition': 'attachment; filename=work.zip' } : {}),
      })
      .end(content)
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  await service.close()
  site.closeAllConnections()
  await new Promise(resolve => site.close(resolve))
})

for (const path of ['/report.pdf', '/picture.png', '/work.zip']) {
  test(`${path} at a public URL is verified with its type, size and hash`, async () => {
    const [type, content] = FILES[path] ?? ['', Buffer.alloc(0)]
    const { status, body, text } = await deliver(await heldDeal(market), { deliverableUrl: at(path) })
    assert.equal(status, 201, text)
    const { report } = body.delivery
    assert.deepEqual(
      [body.delivery.status, report.kind, report.status, report.contentType, report.bytes, report.sha256],
      ['VERIFIED', 'file', 200, type, content.length, sha256(content)],
    )
  })
}

test('the PDF of the sandbox is verified', async () => {
  const { status, body, text } = await deliver(await heldDeal(market), {
    deliverableUrl: `${service.baseUrl}/sandbox/pages/report.pdf`,
  })
  assert.deepEqual([status, body.delivery.report.contentType], [201, 'application/pdf'], text)
})

test('a dead URL of an artifact fails the delivery, with a result and without a deliverableUrl too', async () => {
  const deal = await heldDeal(market)
  const artifacts = [
    { name: 'work', url: at('/work.zip') },
    { name: 'report', url: at('/gone.pdf') },
  ]
  const { status, body, text } = await deliver(deal, { result: 'all of it', artifacts })
  assert.deepEqual(
    [status, body.code, body.details.code, body.details.status],
    [400, 'VERIFICATION_FAILED', 'bad_status', 404],
    text,
  )
  assert.match(body.details.reason, /artifact "report".*404/)
  assert.equal((await readEscrow(market, deal.escrowId)).deliveryStatus, 'FAILED')
  assert.equal((await deliver(deal, { deliverableUrl: at('/page'), artifacts })).status, 400)
})

test('what the seller says of an artifact must be so; all that was found is in the report', async () => {
  const deal = await heldDeal(market)
  const [type, content] = FILES['/work.zip'] ?? ['', Buffer.alloc(0)]
  const artifact = {
    name: 'work',
    url: at('/work.zip'),
    sha256: sha256(content).toUpperCase(),
    mimeType: 'Application/ZIP',
    bytes: content.length,
  }
  for (const [field, wrong] of [
    ['sha256', sha256(Buffer.from('other'))],
    ['bytes', 1],
    ['mimeType', 'application/pdf'],
  ] as const) {
    const { status, body, text } = await deliver(deal, { artifacts: [{ ...artifact, [field]: wrong }] })
    assert.deepEqual([status, body.details.code], [400, 'artifact_mismatch'], text)
    assert.match(body.details.reason, new RegExp(`artifact "work": its ${field} is .*not ${String(wrong)}`))
  }
  const { status, body, text } = await deliver(deal, {
    deliverableUrl: at('/page'),
    artifacts: [
      artifact,
      { name: 'page', url: at('/page'), mimeType: 'text/html' },
      { name: 'stored elsewhere', sha256: 'ab' },
    ],
  })
  assert.equal(status, 201, text)
  assert.deepEqual(
    body.delivery.report.artifacts?.map(each => [
      each.name,
      each.ok,
      each.kind,
      each.contentType,
      each.bytes,
      each.sha256,
    ]),
    [
      ['work', true, 'file', type, content.length, sha256(content)],
      [
        'page',
        true,
        'page',
        FILES['/page']?.[0],
        FILES['/page']?.[1].length,
        sha256(FILES['/page']?.[1] ?? Buffer.alloc(0)),
      ],
    ],
  )
})

test('an address that is private or no web address fails in an artifact too', async () => {
  const deal = await heldDeal(market)
  for (const [url, code] of [
    ['http://10.0.0.1/a.pdf', 'private_address'],
    ['file:///etc/passwd', 'bad_url'],
    [`${service.baseUrl}/docs`, 'private_address'],
  ]) {
    const { status, body, text } = await deliver(deal, { artifacts: [{ name: 'a', url }] })
    assert.deepEqual([status, body.details.code], [400, code], text)
  }
})

test('a delivery with more than 10 URLs is 400 and none is opened', async () => {
  const deal = await heldDeal(market)
  asked = []
  const artifacts = Array.from({ length: 10 }, (_, at) => ({ name: `a${at}`, url: `http://127.0.0.1/${at}` }))
  assert.equal((await deliver(deal, { deliverableUrl: at('/page'), artifacts })).status, 400)
  assert.deepEqual([(await readEscrow(market, deal.escrowId)).deliveries.length, asked], [0, []])
})

test('an agreed outputSchema applies to a delivery by URL or artifact too', async () => {
  const deal = await heldDeal(market, { requirements: { outputSchema: { const: 42 } } })
  for (const body of [
    { deliverableUrl: at('/page') },
    { artifacts: [{ name: 'work', url: at('/work.zip') }] },
    { deliverableUrl: at('/page'), result: 41 },
  ]) {
    const { status, body: answer, text } = await deliver(deal, body)
    assert.deepEqual([status, answer.details.code], [400, 'schema_mismatch'], text)
  }
  assert.equal(
    (await deliver(deal, { deliverableUrl: at('/gone'), result: 42 })).body.details.code,
    'bad_status',
  )
  assert.equal((await deliver(deal, { deliverableUrl: at('/page'), result: 42 })).status, 201)
})
