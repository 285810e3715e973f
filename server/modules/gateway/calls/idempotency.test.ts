import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { startTestService, type TestService } from '#test'
import { creditRouting } from '../../../../test/support/gateway/funds.ts'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'
import { ProgrammableUpstream } from '../../../../test/support/gateway/upstream.ts'

const MODEL = 'gpt-6-luna'

suite('Idempotency-Key of chat completions', () => {
  let upstream: ProgrammableUpstream
  let service: TestService
  let trial: GatewayTrial

  before(async () => {
    upstream = await ProgrammableUpstream.open()
    service = await startTestService(upstream.settings('openai'))
    trial = await GatewayTrial.open(service)
    await creditRouting(service.services.db, trial.owner.id, 50_000_000n, false)
  })
  after(async () => {
    await service.close()
    await upstream.close()
  })
  const ask = (key: string, body: object = {}, by = trial) =>
    by.chat({ model: MODEL, ...body }, { 'idempotency-key': key })
  /** What the provider was asked while `work` ran. */
  const asked = async (work: () => Promise<unknown>): Promise<number> => {
    const before = upstream.requests.length
    await work()
    return upstream.requests.length - before
  }

  test('returns the stored answer to the same request, at no cost', async () => {
    const key = newId()
    const first = await ask(key)
    const count = await asked(async () => {
      const second = await ask(key)
      assert.deepEqual([second.status, second.body], [201, first.body])
      assert.equal(second.headers.get('idempotency-replayed'), 'true')
      assert.equal(second.headers.get('x-svc-cost-usd'), '0.00')
    })
    assert.equal(count, 0)
  })

  test('replays a stream as a stream', async () => {
    const key = newId()
    const body = { stream: true, stream_options: { include_usage: true } }
    const [first, second] = [await ask(key, body), await ask(key, body)]
    const textOf = ({ text }: { text: string }) =>
      text
        .split('\n\n')
        .filter(frame => frame.startsWith('data: {'))
        .map(frame => JSON.parse(frame.slice(6)) as { choices: { delta: { content?: string } }[] })
        .map(({ choices }) => choices[0]?.delta.content ?? '')
        .join('')
    assert.equal(textOf(second), textOf(first))
    assert.equal(second.headers.get('idempotency-replayed'), 'true')
    for (const { text } of [first, second]) assert.match(text, /"cost":[\d.e-]+\}\}\n\ndata: \[DONE\]\n\n$/)
  })

  test('refuses another request with 422, and another key of the account has its own', async () => {
    const key = newId()
    await ask(key)
    assert.equal((await ask(key, { max_tokens: 5 })).status, 422)
    const other = await GatewayTrial.withKey(service, trial.owner)
    const { status, headers } = await ask(key, { max_tokens: 5 }, other)
    assert.deepEqual([status, headers.get('idempotency-replayed')], [201, null])
  })

  test('of 10 requests at once one is answered, the others are 409 while it runs', async () => {
    const key = newId()
    const held = Promise.withResolvers<void>()
    upstream.next({ hold: held.promise })
    const count = await asked(async () => {
      const answers = Array.from({ length: 10 }, () => ask(key))
      let refused = 0
      for (const each of answers)
        void each.then(({ status }) => {
          if (status === 409 && ++refused === 9) held.resolve()
        })
      const ends = await Promise.all(answers)
      assert.equal(ends.filter(({ status }) => status === 201).length, 1)
      for (const { status, headers } of ends.filter(each => each.status !== 201))
        assert.deepEqual([status, Number(headers.get('retry-after')) > 0], [409, true])
    })
    assert.equal(count, 1)
    assert.equal((await ask(key)).headers.get('idempotency-replayed'), 'true')
  })

  test('an answer whose caller has left is there when the request comes again', async () => {
    const key = newId()
    const held = Promise.withResolvers<void>()
    upstream.next({ hold: held.promise, text: 'one two three' })
    const stream = await trial
      .openai()
      .chat.completions.create(
        { model: MODEL, messages: [{ role: 'user', content: 'Count' }], stream: true },
        { headers: { 'idempotency-key': key } },
      )
    for await (const _ of stream) break
    held.resolve()
    const again = trial
      .openai({ maxRetries: 5 })
      .chat.completions.create(
        { model: MODEL, messages: [{ role: 'user', content: 'Count' }], stream: true },
        { headers: { 'idempotency-key': key } },
      )
    let text = ''
    for await (const { choices } of await again) text += choices[0]?.delta.content ?? ''
    assert.equal(text, 'one two three')
  })

  test('a request that failed leaves the key free', async () => {
    const key = newId()
    upstream.next({ status: 400, body: { error: { message: 'No' } } })
    assert.equal((await ask(key)).status, 400)
    assert.equal((await ask(key)).status, 201)
  })

  test('another instance returns the stored answer', async () => {
    const key = newId()
    const first = await ask(key)
    const instance = await service.instance()
    try {
      const { body, headers } = await instance.http('POST', '/v1/chat/completions', {
        token: trial.key,
        headers: { 'idempotency-key': key },
        body: { model: MODEL, messages: [{ role: 'user', content: 'Say hello' }] },
      })
      assert.deepEqual(body, first.body)
      assert.equal(headers.get('idempotency-replayed'), 'true')
    } finally {
      await instance.close()
    }
  })
})
