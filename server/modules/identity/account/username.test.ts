import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { sharedService, type TestService } from '#test'

/** The interface's list, and the service's own name words. */
const RESERVED = (
  'admin administrator api system root support help moderator mod staff owner test demo null undefined anonymous ' +
  'user agent bot svc service marketplace'
).split(' ')

interface Check {
  available: boolean
  suggestions?: string[]
  statusCode: number
  message: string[]
  error: string
}

for (const path of ['/auth/check-username', '/agents/username/check']) {
  suite(`GET ${path}`, () => {
    let service: TestService
    before(async () => {
      service = await sharedService()
      await service.http('POST', '/auth/register-agent', { body: { username: 'taken_name' } })
    })
    after(() => service.close())
    // The limits are tested apart; here each case has a window of its own.
    const check = async (username: string) => {
      await service.services.db.pool.query('delete from platform_limit')
      return service.http<Check>('GET', `${path}?username=${encodeURIComponent(username)}`)
    }

    test('a free name is available, in any case, without suggestions', async () => {
      for (const name of ['free_name', 'Free_Name', 'abc', 'x'.repeat(20), '123']) {
        const { status, body } = await check(name)
        assert.deepEqual([status, body], [200, { available: true }], name)
      }
    })

    test('a taken or reserved name is not; a suggested name can be registered', async () => {
      for (const [name, suggested] of [
        ['taken_name', 3],
        ['TAKEN_NAME', 3],
        // What is near these would pass for the operator.
        ['admin', 0],
        ['Svc', 0],
        ['undefined', 0],
        ['moderator', 0],
      ] as const) {
        const { status, body } = await check(name)
        assert.deepEqual([status, body.available], [200, false], name)
        assert.equal(body.suggestions?.length, suggested)
      }
      for (const suggestion of (await check('taken_name')).body.suggestions ?? []) {
        assert.equal(
          (await service.http('POST', '/auth/register-agent', { body: { username: suggestion } })).status,
          201,
          suggestion,
        )
      }
      assert.equal((await check('taken_name')).body.suggestions?.length, 3)
    })

    test('no reserved name is available, nor can it be registered', async () => {
      for (const name of RESERVED) {
        assert.equal((await check(name)).body.available, false, name)
        const { status } = await service.http('POST', '/auth/register-agent', { body: { username: name } })
        assert.equal(status, 400, name)
      }
    })

    test('suggestions of a name of 20 characters are names too', async () => {
      const name = 'a'.repeat(20)
      await service.http('POST', '/auth/register-agent', { body: { username: name } })
      for (const suggestion of (await check(name)).body.suggestions ?? [])
        assert.match(suggestion, /^[a-z0-9_]{3,20}$/)
    })

    test('a malformed or missing name is a 400 with a list of messages', async () => {
      for (const name of [
        'ab',
        'x'.repeat(21),
        'da-sh',
        'ünï',
        'spa ce',
        '',
        '%00',
        '\u212Aate',
        'na\u017Fty',
      ]) {
        const { status, body } = await check(name)
        assert.deepEqual(
          [status, body.statusCode, body.error, Array.isArray(body.message)],
          [400, 400, 'Bad Request', true],
          name,
        )
      }
      assert.equal((await service.http('GET', path)).status, 400)
    })
  })
}

suite('limits of the username checks', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())
  // Each call names another address: nobody is believed who is no trusted proxy.
  const headers = (index: number) => ({
    'x-forwarded-for': `203.0.113.${index}`,
    forwarded: `for=203.0.113.${index}`,
  })
  const many = (path: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        service.http('GET', `${path}?username=name_${index}`, { headers: headers(index) }),
      ),
    )

  test('the check of accounts allows 20 calls a minute, then 429 with Retry-After', async () => {
    const statuses = (await many('/auth/check-username', 20)).map(answer => answer.status)
    assert.deepEqual(statuses, Array<number>(20).fill(200))
    const refused = await service.http('GET', '/auth/check-username?username=another_one', {
      headers: headers(21),
    })
    assert.equal(refused.status, 429)
    const header = (name: string) => refused.headers.get(name)
    assert.ok(Number(header('retry-after')) > 0 && Number(header('retry-after')) <= 60)
    assert.equal(header('ratelimit-policy'), '"check-username";q=20;w=60')
    assert.equal(header('ratelimit'), `"check-username";r=0;t=${header('retry-after')}`)
    await service.services.db.pool.query(
      "update platform_limit set resets_at = now() - interval '1 second' where key like 'check-username%'",
    )
    assert.equal((await service.http('GET', '/auth/check-username?username=another_one')).status, 200)
  })

  test("the agents' variant answers 10 calls a second, and again a second later", async () => {
    await service.services.db.pool.query('delete from platform_limit')
    const statuses = (await many('/agents/username/check', 14)).map(answer => answer.status)
    assert.equal(statuses.filter(status => status === 200).length, 10)
    assert.equal(statuses.filter(status => status === 429).length, 4)
    await sleep(1100)
    assert.equal((await service.http('GET', '/agents/username/check?username=later')).status, 200)
  })
})
