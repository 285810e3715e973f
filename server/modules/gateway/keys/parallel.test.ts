import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { registerHuman, sharedService, type TestService } from '#test'

const MODEL = 'gpt-6-luna'
const WAIT_MS = 20_000

suite('limits of a routing key over HTTP', () => {
  let service: TestService
  let key: string
  before(async () => {
    service = await sharedService()
    const { token } = await registerHuman(service)
    const body = { limits: { parallel: 7, rpm: 1000, tpm: 1_000_000 } }
    key = (await service.http<{ key: string }>('POST', '/v1/auth/keys', { token, body })).body.key
  })
  after(() => service.close())

  const ask = (more: object = {}, signal?: AbortSignal) =>
    fetch(`${service.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: MODEL,
        max_tokens: 256,
        messages: [{ role: 'user', content: 'Hi' }],
        ...more,
      }),
      signal,
    })
  const slowDown = async (count: number) => {
    const body = { kind: 'slow_drip', delayMs: 5000, count }
    const options = { token: await service.adminToken(), body }
    const { status, text } = await service.http('POST', '/sandbox/providers/openai/faults', options)
    assert.ok(status < 300, text)
  }
  const until = async (what: string, isTrue: () => boolean | Promise<boolean>) => {
    for (const begun = Date.now(); !(await isTrue()); await sleep(20))
      assert.ok(Date.now() - begun < WAIT_MS, what)
  }

  test('of 50 parallel requests 7 enter, 43 are 429, and the 7 free their places', async () => {
    await slowDown(50)
    const caller = new AbortController()
    const refused: Response[] = []
    let ended = 0
    const send = async () => {
      const response = await ask({ stream: true }, caller.signal)
      if (response.status === 429) refused.push(response)
      else await response.text()
      ended++
    }
    // Those that entered are aborted below, before their slow answers end.
    const all = Array.from({ length: 50 }, () => send().catch(() => undefined))
    await until('43 are refused', () => refused.length >= 43)
    caller.abort()
    await Promise.all(all)
    assert.deepEqual([refused.length, ended], [43, 43])
    for (const { headers } of refused) {
      assert.equal(headers.get('retry-after'), '1')
      assert.equal(headers.get('x-ratelimit-limit-requests'), '1000')
    }
    await slowDown(0)
    await until('a later request enters', async () => (await ask()).status === 201)
    const answer = await ask()
    assert.equal(answer.status, 201)
    // Refused requests do not count: the 7 and those that entered later do.
    assert.equal(answer.headers.get('x-ratelimit-remaining-requests'), String(1000 - 7 - 2))
    assert.ok(Number(answer.headers.get('x-ratelimit-remaining-tokens')) < 1_000_000)
  })
})
