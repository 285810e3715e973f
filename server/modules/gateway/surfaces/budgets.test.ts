import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sharedService, type TestService } from '#test'
import { GatewayTrial, type UsageRow } from '../../../../test/support/gateway/gateway-trial.ts'
import { endUsersOf, postTo } from '../../../../test/support/gateway/surface-clients.ts'

const CALLERS = 50
const MODEL = 'claude-opus-5'
/** So long that each answer ends at its limit. */
const PROMPT = 'Write an essay in 2000 words'
const LIMIT = 1000
const messages = [{ role: 'user', content: PROMPT }]

/** The same work on every surface, for the end user `user`. */
const KINDS: readonly ((user: string) => [path: string, body: object])[] = [
  user => ['/v1/chat/completions', { model: MODEL, messages, max_tokens: LIMIT, user }],
  user => ['/v1/chat/completions', { model: MODEL, messages, max_tokens: LIMIT, user, stream: true }],
  user => ['/v1/messages', { model: MODEL, messages, max_tokens: LIMIT, metadata: { user_id: user } }],
  user => [
    '/v1/messages',
    { model: MODEL, messages, max_tokens: LIMIT, metadata: { user_id: user }, stream: true },
  ],
  user => ['/v1/responses', { model: MODEL, input: PROMPT, max_output_tokens: LIMIT, user }],
  user => ['/v1/responses', { model: MODEL, input: PROMPT, max_output_tokens: LIMIT, user, stream: true }],
  // About as much as the others.
  user => [
    '/v1/embeddings',
    { model: 'text-embedding-3-large', input: Array.from({ length: 20 }, () => 'word '.repeat(1500)), user },
  ],
]

/** Sends one request; its status, once the body has come. */
async function send(trial: GatewayTrial, at: number, user: string): Promise<number> {
  const kind = KINDS[at % KINDS.length]
  assert.ok(kind)
  const response = await postTo(trial, ...kind(user))
  const text = await response.text()
  if (response.status === 402) assert.match(text, /budget/i)
  return response.status
}

/** Cost with fee of requests, in micro-USD. */
const chargedFor = (rows: readonly UsageRow[]): bigint =>
  rows.reduce((sum, { cost, fee }) => sum + cost + fee, 0n)

suite('budgets are reserved before the call, on every surface', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  /** What one request of this kind costs in micro-USD. */
  async function costOf(at: number): Promise<bigint> {
    const trial = await GatewayTrial.open(service)
    assert.ok((await send(trial, at, 'reader')) < 300)
    return chargedFor(await trial.usage(1))
  }

  for (const [budget, of] of [
    ['dailyUsd', 'a new key'],
    ['endUserDailyUsd', 'a new end user'],
  ] as const)
    test(`50 parallel first requests of ${of} stay within a budget for one`, async () => {
      const cost = await costOf(0)
      // For one request and a bit, and not for two.
      const limit = (cost * 3n) / 2n
      const trial = await GatewayTrial.open(service, { limits: { [budget]: Number(limit) / 1e6 } })
      const statuses = await Promise.all(
        Array.from({ length: CALLERS }, (_, at) => send(trial, at, 'reader-1')),
      )
      const passed = statuses.filter(status => status < 300).length
      const refused = statuses.filter(status => status === 402).length
      assert.ok(passed >= 1, 'at least one request passes')
      assert.equal(passed + refused, CALLERS, statuses.join())
      const rows = await trial.usage(passed)
      assert.equal(rows.length, passed)
      const spent = chargedFor(rows)
      assert.ok(spent > 0n && spent <= limit, `${spent} of ${limit} were spent`)
      const large = rows.filter(({ surface }) => surface !== 'embeddings').length
      assert.ok(large <= 1, `${large} requests passed on a budget for one`)
      // What was reserved in excess is free again.
      const after = await postTo(trial, '/v1/embeddings', {
        model: 'text-embedding-3-small',
        input: 'a text',
        user: 'reader-1',
      })
      assert.equal(after.status, 200, await after.text())
    })

  test('a chat completion counts for its safety_identifier where it has no user', async () => {
    const trial = await GatewayTrial.open(service, { limits: { endUserDailyUsd: 0.000001 } })
    const body = { model: MODEL, messages, max_tokens: LIMIT }
    for (const named of [{ safety_identifier: 'reader-1' }, { safety_identifier: 'x', user: 'reader-1' }]) {
      const response = await postTo(trial, '/v1/chat/completions', { ...body, ...named })
      const { hint } = (await response.json()) as { hint: string }
      assert.equal(response.status, 402)
      assert.match(hint, /daily budget of this end user .* does not cover what the request may cost \(0\.0/)
    }
    assert.equal((await postTo(trial, '/v1/chat/completions', body)).status, 201)
    await trial.usage(1)
    const named = { ...body, model: 'gpt-6-luna', safety_identifier: 'reader-2' }
    const free = await GatewayTrial.open(service)
    assert.equal((await postTo(free, '/v1/chat/completions', named)).status, 201)
    await free.usage(1)
    assert.deepEqual(await endUsersOf(free), ['reader-2'])
  })

  for (const [at, name] of [
    'chat',
    'chat in a stream',
    'messages',
    'messages in a stream',
    'responses',
    'responses in a stream',
    'embeddings',
  ].entries())
    test(`a balance for one request lets one of many pass: ${name}`, async () => {
      const limit = ((await costOf(at)) * (name === 'embeddings' ? 20n : 3n)) / 2n
      const trial = await GatewayTrial.open(service, { limits: { dailyUsd: Number(limit) / 1e6 } })
      const statuses = await Promise.all(Array.from({ length: 10 }, () => send(trial, at, 'reader-1')))
      const passed = statuses.filter(status => status < 300).length
      assert.ok(passed >= 1, statuses.join())
      assert.ok(chargedFor(await trial.usage(passed)) <= limit)
      if (name !== 'embeddings') assert.equal(passed, 1)
    })
})
