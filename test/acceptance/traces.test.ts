import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { registerHuman, sharedService } from '#test'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] }
    scopeSpans: { spans: { name: string; traceId: string; parentSpanId: string }[] }[]
  }[]
}

test('the span of a routed request reaches an OTLP receiver, in the trace of its caller', async () => {
  const received: { url: string | undefined; token: unknown; body: string }[] = []
  const receiver = createServer((request, response) => {
    void text(request).then(body => {
      received.push({ url: request.url, token: request.headers['x-token'], body })
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const service = await sharedService()
  const traced = await service.instance({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=of%20the%20receiver',
    OTEL_SERVICE_NAME: 'svc-traced',
  })
  let isClosed = false
  try {
    const post = <Body>(path: string, body: object, token?: string, headers = {}) =>
      traced.http<Body>('POST', path, { body, headers, ...(token ? { token } : {}) })
    const { token } = await registerHuman(service)
    const made = await post<{ key: string }>('/v1/auth/keys', { name: 'Traced' }, token)
    const prompt = { model: 'auto', messages: [{ role: 'user', content: 'a private question' }] }
    const traceparent = `00-${TRACE}-${PARENT}-01`
    const answered = await post('/v1/chat/completions', prompt, made.body.key, { traceparent })
    assert.equal(answered.status, 201, answered.text)
    // The rest of a batch is sent on the stop.
    await traced.close()
    isClosed = true
    const [first] = received
    assert.deepEqual([received.length, first?.url, first?.token], [1, '/v1/traces', 'of the receiver'])
    assert.ok(first && !first.body.includes('private question') && !first.body.includes(made.body.key))
    const [resource] = (JSON.parse(first.body) as Export).resourceSpans
    assert.deepEqual(
      resource?.scopeSpans.flatMap(({ spans }) =>
        spans.map(({ name, traceId, parentSpanId }) => [name, traceId, parentSpanId]),
      ),
      [['chat auto', TRACE, PARENT]],
    )
    const name = resource?.resource.attributes.find(({ key }) => key === 'service.name')
    assert.equal(name?.value.stringValue, 'svc-traced')
  } finally {
    if (!isClosed) await traced.close()
    await service.close()
    receiver.close()
  }
})
