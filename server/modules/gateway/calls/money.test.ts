import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import { startTestService, type TestService } from '#test'
import { creditRouting } from '../../../../test/support/gateway/funds.ts'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'
import { ProgrammableUpstream } from '../../../../test/support/gateway/upstream.ts'

const CALLERS = 50
const FITTING = 7
/** Stops its work when a stream is canceled, and one that goes on. */
const STOPS = 'gpt-6-luna'
const GOES_ON = 'qwen3.7-flash'

suite('money of calls', () => {
  let upstream: ProgrammableUpstream
  let service: TestService

  before(async () => {
    upstream = await ProgrammableUpstream.open()
    service = await startTestService(upstream.settings('openai', 'alibaba', 'anthropic'))
  })
  after(async () => {
    await service.close()
    await upstream.close()
  })
  afterEach(() => {
    upstream.usual = {}
  })

  async function openTrial(balance: bigint, settings: object = {}): Promise<GatewayTrial> {
    const trial = await GatewayTrial.open(service, settings)
    await creditRouting(service.services.db, trial.owner.id, balance, false)
    return trial
  }

  /** What one request of this form reserves: the least balance that it passes with. */
  async function worstCase(body: object): Promise<bigint> {
    const trial = await openTrial(1n)
    let low = 1n
    let high = 100_000n
    while (low < high) {
      const middle = (low + high) / 2n
      const probe = await openTrial(middle)
      if ((await probe.chat(body)).status === 201) high = middle
      else low = middle + 1n
    }
    assert.equal((await trial.chat(body)).status, low > 1n ? 402 : 201)
    return low
  }

  test('of 50 parallel requests on a balance for 7 worst cases exactly 7 are answered', async () => {
    for (const stream of [false, true]) {
      const body = { model: STOPS, max_tokens: 100, stream }
      const each = await worstCase(body)
      const trial = await openTrial(each * BigInt(FITTING))
      const all = Promise.withResolvers<void>()
      // No request returns its rest before all have asked.
      upstream.usual = { hold: all.promise }
      const before = upstream.requests.length
      const asked = Array.from({ length: CALLERS }, () => trial.chat(body))
      const refused = new Set<number>()
      for (const each of asked)
        void each.then(({ status }) => {
          if (status === 402 && refused.add(refused.size).size === CALLERS - FITTING) all.resolve()
        })
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      assert.deepEqual(
        [statuses.filter(status => status === 201).length, statuses.filter(status => status === 402).length],
        [FITTING, CALLERS - FITTING],
      )
      assert.equal(upstream.requests.length - before, FITTING)
      const rows = await trial.usage(FITTING)
      assert.equal(rows.length, FITTING)
      const charged = rows.reduce((sum, { cost, fee }) => sum + cost + fee, 0n)
      assert.equal(await trial.balance(false), each * BigInt(FITTING) - charged)
      upstream.usual = {}
    }
  })

  test('without max_tokens the answer is limited to what the balance affords', async () => {
    const each = await worstCase({ model: STOPS, max_tokens: 256 })
    const rich = await openTrial(each * 1000n)
    await rich.chat({ model: STOPS })
    const limitOf = () => {
      const { max_completion_tokens: limit, max_tokens } = upstream.requests.at(-1)?.body ?? {}
      return limit ?? max_tokens
    }
    assert.equal(limitOf(), 8192)
    await (await openTrial(each + 10n)).chat({ model: STOPS })
    assert.ok(Number(limitOf()) >= 256 && Number(limitOf()) < 600, String(limitOf()))
    const poor = await (await openTrial(each - 1n)).chat({ model: STOPS })
    assert.deepEqual([poor.status, poor.body.message], [402, 'Insufficient balance'])
  })

  for (const way of ['leaves', 'aborts'])
    test(`a caller who ${way} a stream pays for the delivered part`, async () => {
      const trial = await openTrial(10_000_000n)
      upstream.next({ text: 'one two three four five six seven eight', hold: new Promise(() => {}) })
      const caller = new AbortController()
      const stream = await trial
        .openai()
        .chat.completions.create(
          { model: STOPS, messages: [{ role: 'user', content: 'Count' }], stream: true },
          { signal: caller.signal },
        )
      let text = ''
      for await (const { choices } of stream) {
        text += choices[0]?.delta.content ?? ''
        if (!text.includes('two')) continue
        if (way === 'leaves') break
        // The client then ends the loop by itself.
        caller.abort()
      }
      // The provider sees the end of the connection.
      assert.equal(await upstream.requests.at(-1)?.closed, true)
      const [row] = await trial.usage(1)
      assert.ok(row)
      assert.equal(row.outcome, 'cancelled')
      assert.ok(row.outputTokens >= 2 && row.outputTokens < 8, String(row.outputTokens))
      assert.ok(row.cost > 0n)
    })

  test('at a provider that goes on, a caller who leaves pays for the whole answer', async () => {
    const trial = await openTrial(10_000_000n)
    upstream.next({
      text: 'one two three four five six seven eight',
      // Time for the gateway to see that the caller has left.
      delayMs: 300,
      usage: { input: 11, output: 808 },
    })
    const stream = await trial.openai().chat.completions.create({
      model: GOES_ON,
      messages: [{ role: 'user', content: 'Count' }],
      stream: true,
    })
    for await (const _ of stream) break
    const [row] = await trial.usage(1)
    assert.deepEqual([row?.outcome, row?.inputTokens, row?.outputTokens], ['cancelled', 11, 808])
  })

  test('a provider that reports no usage is billed by the tokenizer', async () => {
    const trial = await openTrial(10_000_000n)
    upstream.decide = () => ({
      status: 200,
      body: {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: STOPS,
        choices: [
          { index: 0, message: { role: 'assistant', content: 'one two three' }, finish_reason: 'stop' },
        ],
      },
    })
    const { body } = await trial.chat({ model: STOPS })
    upstream.decide = () => undefined
    assert.equal(body.usage.completion_tokens, 3)
    const [row] = await trial.usage(1)
    assert.equal(row?.outputTokens, 3)
  })

  test('an answer without a token costs nothing', async () => {
    const trial = await openTrial(10_000_000n)
    upstream.next({ text: '', usage: { input: 9000, output: 0 } })
    await trial.chat({ model: STOPS })
    const [row] = await trial.usage(1)
    assert.deepEqual([row?.cost, row?.fee], [0n, 0n])
  })

  test('the highest price of a request holds for its longest answer', async () => {
    const trial = await openTrial(10_000_000n, { maxPriceUsd: 0.001 })
    const affordable = await trial.chat({ model: STOPS, max_tokens: 16 })
    assert.equal(affordable.status, 201, affordable.text)
    const refused = await trial.chat({ model: STOPS, max_tokens: 8000 })
    assert.deepEqual([refused.status, refused.body.message], [403, 'Maximum price exceeded'])
  })

  test('all that a part holds is reserved and limited, whatever its type', async () => {
    const long = 'word '.repeat(40_000)
    for (const part of [
      { type: 'refusal', text: '', refusal: long },
      { type: 'thinking', text: '', thinking: long, signature: 's' },
      { type: 'text', text: '', refusal: long },
    ]) {
      const body = { model: STOPS, max_tokens: 16, messages: [{ role: 'assistant', content: [part] }] }
      const before = upstream.requests.length
      const poor = await (await openTrial(1000n)).chat(body)
      assert.deepEqual([poor.status, poor.body.message], [402, 'Insufficient balance'], part.type)
      const limited = await (await openTrial(10_000_000n, { limits: { tpm: 1000 } })).chat(body)
      assert.equal(limited.status, 429, part.type)
      const cheap = await (await openTrial(10_000_000n, { maxPriceUsd: 0.001 })).chat(body)
      assert.equal(cheap.status, 403, part.type)
      assert.equal(upstream.requests.length, before)
    }
  })
})
