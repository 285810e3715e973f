import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import { eventually, sharedService, type TestService } from '#test'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'

interface Line {
  level: string
  msg: string
}

suite('a caller who leaves before the first byte of a stream', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  test('is no error of the service, and pays for the prompt', async () => {
    const trial = await GatewayTrial.open(service)
    const { status } = await service.http('POST', '/sandbox/providers/openai/faults', {
      token: await service.adminToken(),
      body: { kind: 'slow_drip', delayMs: 4000, count: 1 },
    })
    assert.ok(status < 300)
    const caller = new AbortController()
    const request = fetch(`${service.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${trial.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-6-luna',
        max_tokens: 20,
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
      signal: caller.signal,
    })
    const left = assert.rejects(request, { name: 'AbortError' })
    await eventually('the request has reserved its cost', async () => {
      const { count } = await service.services.db.one(sql<{ count: number }>`
        select count(*)::int as count from gateway_lease where account_id = ${trial.owner.id}`)
      return count > 0
    })
    caller.abort()
    await left
    const [row] = await trial.usage(1)
    assert.deepEqual([row?.outcome, row?.outputTokens], ['cancelled', 0])
    const lines = () => service.logged.map(line => JSON.parse(line) as Line)
    await eventually('it is logged', async () =>
      lines().some(({ msg }) => msg === 'the client left before the stream began'),
    )
    assert.deepEqual(
      lines().filter(({ level }) => level === 'error'),
      [],
    )
  })
})
