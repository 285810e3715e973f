import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { usageRecord } from '../../../../test/support/gateway/usage.ts'
import { Tracing } from './tracing.ts'

interface Span {
  name: string
  kind: number
  traceId: string
  parentSpanId?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: object }[]
  status: { code?: number }
}
interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: object }[] }
    scopeSpans: { spans: Span[] }[]
  }[]
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

suite('spans of routed requests', () => {
  const received: { request: IncomingMessage; body: Export }[] = []
  const server = createServer((request, response) => {
    void text(request).then(body => {
      received.push({ request, body: JSON.parse(body) as Export })
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())

  /** What the receiver got when this was recorded. */
  const sent = async (...records: Parameters<Tracing['record']>[]) => {
    const { port } = server.address() as AddressInfo
    const tracing = new Tracing({
      endpoint: `http://127.0.0.1:${port}/`,
      headers: { 'x-tenant': 'a b' },
      serviceName: 'svc-test',
    })
    for (const [record, context] of records) tracing.record(record, context)
    await tracing.stop()
    const last = received.at(-1)
    assert.ok(last)
    const [resource] = last.body.resourceSpans
    return { ...last, spans: resource?.scopeSpans.flatMap(({ spans }) => spans) ?? [], resource }
  }
  const attributesOf = (of: { attributes: { key: string; value: object }[] } | undefined) =>
    Object.fromEntries(
      (of?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0] as unknown]),
    )

  test('have the attributes of the GenAI conventions, and the times of the request', async () => {
    const endedAt = new Date('2026-03-01T10:00:00.500Z')
    const record = usageRecord({
      latencyMs: 500,
      ttftMs: 120,
      provider: 'google',
      stream: true,
      finishReason: 'length',
    })
    const { request, spans, resource } = await sent([record, { endedAt }])
    assert.deepEqual(
      [request.method, request.url, request.headers['x-tenant']],
      ['POST', '/v1/traces', 'a b'],
    )
    assert.equal(attributesOf(resource?.resource)['service.name'], 'svc-test')
    const [span] = spans
    assert.ok(span)
    assert.deepEqual([span.name, span.kind, span.parentSpanId], ['chat auto', 3, undefined])
    assert.equal(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano), 500_000_000n)
    assert.equal(BigInt(span.endTimeUnixNano), BigInt(endedAt.getTime()) * 1_000_000n)
    const found = attributesOf(span)
    const expected = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'auto',
      'gen_ai.response.model': 'claude-sonnet-5-5',
      'gen_ai.response.id': record.id,
      'gen_ai.response.finish_reasons': { values: [{ stringValue: 'length' }] },
      'gen_ai.usage.input_tokens': 60,
      'gen_ai.usage.output_tokens': 40,
      'gen_ai.response.time_to_first_chunk': 0.12,
      'error.type': undefined,
    }
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(found[name], value, name)
    assert.ok(
      !JSON.stringify(spans).includes(record.accountId) && !JSON.stringify(spans).includes(record.keyId),
    )
  })

  test('continue the trace of the caller', async () => {
    const traceparent = `00-${TRACE}-${PARENT}-01`
    const { spans } = await sent([usageRecord(), { traceparent, endedAt: new Date() }])
    assert.deepEqual([spans[0]?.traceId, spans[0]?.parentSpanId], [TRACE, PARENT])
  })

  test('begin a trace of their own where traceparent is invalid', async () => {
    const invalid = ['nonsense', `00-${'0'.repeat(32)}-${PARENT}-01`, `00-${TRACE}-${'0'.repeat(16)}-01`]
    const endedAt = new Date()
    const { spans } = await sent(
      ...invalid.map((traceparent): Parameters<Tracing['record']> => [
        usageRecord(),
        { traceparent, endedAt },
      ]),
    )
    assert.equal(spans.length, 3)
    for (const span of spans) assert.ok(span.traceId !== TRACE && !span.parentSpanId)
  })

  test('name the error of a request that failed', async () => {
    const attempts = [{ model: 'glm-5', result: 'rate_limited', latencyMs: 5 }]
    const endedAt = new Date()
    const { spans } = await sent(
      [usageRecord({ outcome: 'failed', attempts, surface: 'embeddings' }), { endedAt }],
      [usageRecord({ outcome: 'cancelled' }), { endedAt }],
    )
    assert.equal(spans[0]?.name, 'embeddings auto')
    assert.deepEqual(
      spans.map(span => [attributesOf(span)['error.type'], span.status.code ?? 0]),
      [
        ['rate_limited', 2],
        [undefined, 0],
      ],
    )
  })
})
