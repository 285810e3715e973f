import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { createPublicKey, verify, type JsonWebKey } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  call,
  freePort,
  holdingLocks,
  registerHuman,
  startServerProcess,
  sharedService,
  type TestService,
} from '#test'

interface Pair {
  accessToken: string
  refreshToken: string
  message: string
}

suite('sessions', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const refresh = (refreshToken: string, key?: string) =>
    service.http<Pair>('POST', '/auth/refresh', {
      body: { refreshToken },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    })
  const me = async (token: string) => (await service.http('GET', '/users/me', { token })).status
  const query = (text: string, values: unknown[] = []) =>
    service.services.db.pool.query<Record<string, string>>(text, values)
  const ageUsedTokens = (seconds: number) =>
    query(
      "update identity_refresh_token set used_at = used_at - $1 * interval '1 second' where used_at is not null",
      [seconds],
    )
  const audited = async (action: string, accountId: string) =>
    (await query('select 1 from platform_audit where action = $1 and actor_id = $2', [action, accountId]))
      .rows.length

  test('a refresh token gives a new pair once', async () => {
    const person = await registerHuman(service)
    const { status, body } = await refresh(person.refreshToken)
    assert.equal(status, 200)
    assert.notEqual(body.refreshToken, person.refreshToken)
    assert.notEqual(body.accessToken, person.token)
    assert.equal(await me(body.accessToken), 200)
    assert.equal((await refresh(body.refreshToken)).status, 200)
  })

  test('of 32 concurrent refreshes with one token exactly one succeeds', async () => {
    for (let round = 0; round < 20; round++) {
      const person = await registerHuman(service)
      const answers = await Promise.all(Array.from({ length: 32 }, () => refresh(person.refreshToken)))
      const good = answers.filter(answer => answer.status === 200)
      assert.equal(good.length, 1)
      assert.equal(answers.filter(answer => answer.status === 401).length, 31)
      assert.equal((await refresh(good[0]?.body.refreshToken ?? '')).status, 200)
    }
  })

  test('a second use within 10 seconds is a 401 that leaves the session alone', async () => {
    const person = await registerHuman(service)
    const next = (await refresh(person.refreshToken)).body
    assert.equal((await refresh(person.refreshToken)).status, 401)
    assert.equal(await me(next.accessToken), 200)
    assert.equal((await refresh(next.refreshToken)).status, 200)
  })

  test('a second use after 10 s ends the session and is audited, with 401', async () => {
    const person = await registerHuman(service)
    const next = (await refresh(person.refreshToken)).body
    await ageUsedTokens(11)
    assert.equal((await refresh(person.refreshToken)).status, 401)
    assert.equal((await refresh(next.refreshToken)).status, 401)
    assert.equal(await me(next.accessToken), 401)
    assert.equal(await me(person.token), 401)
    assert.equal(await audited('session.reuse_detected', person.id), 1)
  })

  test('a refresh repeated with its Idempotency-Key gives the same refresh token', async () => {
    const person = await registerHuman(service)
    const lost = (await refresh(person.refreshToken, 'key of a request')).body
    await ageUsedTokens(14 * 60)
    const { status, body, headers } = await refresh(person.refreshToken, 'key of a request')
    assert.deepEqual([status, body.refreshToken], [200, lost.refreshToken])
    assert.equal(headers.get('idempotency-replayed'), 'true')
    assert.equal(await me(body.accessToken), 200)
    assert.equal((await refresh(lost.refreshToken, 'key of a request')).status, 200)
    assert.equal(await audited('session.reuse_detected', person.id), 0)
    // Of many repetitions at once too.
    const other = await registerHuman(service)
    const answers = await Promise.all(Array.from({ length: 16 }, () => refresh(other.refreshToken, 'key')))
    const given = new Set(answers.map(answer => `${answer.status} ${answer.body.refreshToken}`))
    assert.equal(given.size, 1)
    assert.equal((await refresh(answers[0]?.body.refreshToken ?? '')).status, 200)
  })

  test('a repeated refresh with another key, none, or after 15 minutes is a reuse', async () => {
    for (const [seconds, key] of [
      [11, 'another key'],
      [11, undefined],
      [15 * 60 + 1, 'key of a request'],
    ] as const) {
      const person = await registerHuman(service)
      const next = (await refresh(person.refreshToken, 'key of a request')).body
      assert.equal((await refresh(person.refreshToken, 'another key')).status, 401)
      assert.equal(await me(next.accessToken), 200)
      await ageUsedTokens(seconds)
      assert.equal((await refresh(person.refreshToken, key)).status, 401)
      assert.equal((await refresh(next.refreshToken)).status, 401)
      assert.equal(await audited('session.reuse_detected', person.id), 1)
    }
  })

  test('a stolen request is noticed when the owner or the thief goes on', async () => {
    // The thief repeats the request of the owner when the owner has gone on.
    const first = await registerHuman(service)
    const next = (await refresh(first.refreshToken, 'stolen key')).body
    const afterNext = (await refresh(next.refreshToken, 'key')).body
    assert.equal((await refresh(first.refreshToken, 'stolen key')).status, 401)
    await ageUsedTokens(11)
    assert.equal((await refresh(first.refreshToken, 'stolen key')).status, 401)
    assert.equal(await me(afterNext.accessToken), 401)
    // Both got the same token: the second of them to use it ends the session.
    const second = await registerHuman(service)
    const owner = (await refresh(second.refreshToken, 'stolen key')).body
    const thief = (await refresh(second.refreshToken, 'stolen key')).body
    const stolen = (await refresh(thief.refreshToken, 'key of the thief')).body
    await ageUsedTokens(11)
    assert.equal((await refresh(owner.refreshToken, 'key of the owner')).status, 401)
    assert.equal(await me(stolen.accessToken), 401)
    assert.equal((await refresh(stolen.refreshToken)).status, 401)
  })

  test('a repeated refresh gives nothing to an ended session or a suspended account', async () => {
    const out = await registerHuman(service)
    await refresh(out.refreshToken, 'key')
    await service.http('POST', '/auth/logout', { body: { refreshToken: out.refreshToken } })
    assert.equal((await refresh(out.refreshToken, 'key')).status, 401)
    const suspended = await registerHuman(service)
    await refresh(suspended.refreshToken, 'key')
    await query("update identity_account set status = 'SUSPENDED' where id = $1", [suspended.id])
    assert.equal((await refresh(suspended.refreshToken, 'key')).status, 403)
    assert.equal((await refresh(suspended.refreshToken, 'k'.repeat(256))).status, 400)
  })

  test('a refresh that deadlocks, as with a deletion of the account, is tried again', async () => {
    const { id, refreshToken } = await registerHuman(service)
    await holdingLocks(service, async ({ query: hold, waiters, commit }) => {
      await hold(`select from identity_session where account_id = '${id}' for update`)
      const refreshing = refresh(refreshToken)
      await waiters(1)
      await hold(`select from identity_refresh_token t join identity_session s on s.id = t.session_id
        where s.account_id = '${id}' for update of t`)
      await commit()
      assert.equal((await refreshing).status, 200)
    })
  })

  test('an unknown, an expired and a malformed token are refused', async () => {
    const person = await registerHuman(service)
    assert.equal((await refresh('nonsense')).status, 401)
    assert.equal((await service.http('POST', '/auth/refresh', { body: {} })).status, 400)
    await query(
      "update identity_refresh_token set expires_at = now() - interval '1 second' where session_id in (select id from identity_session where account_id = $1)",
      [person.id],
    )
    const { status, body } = await refresh(person.refreshToken)
    assert.equal(status, 401)
    assert.match(body.message, /^Invalid refresh token/)
  })

  test('logout answers 204, always, and ends access and refresh at once', async () => {
    const person = await registerHuman(service)
    const logout = () => service.http('POST', '/auth/logout', { body: { refreshToken: person.refreshToken } })
    const { status, text } = await logout()
    assert.deepEqual([status, text], [204, ''])
    assert.equal(await me(person.token), 401)
    assert.equal((await refresh(person.refreshToken)).status, 401)
    assert.equal((await logout()).status, 204)
    assert.equal(await audited('session.signed_out', person.id), 1)
    assert.equal(
      (await service.http('POST', '/auth/logout', { body: { refreshToken: 'unknown' } })).status,
      204,
    )
    assert.equal((await service.http('POST', '/auth/logout', { body: {} })).status, 400)
  })

  test('logout takes effect within a second on another process', async () => {
    const person = await registerHuman(service)
    const second = await startServerProcess({
      PORT: String(await freePort()),
      DATABASE_URL: String(service.services.db.pool.options.connectionString),
      SVC_DATA_DIR: service.services.dataDir,
    })
    try {
      const there = async () =>
        (await call(`${second.baseUrl}/users/me`, 'GET', { token: person.token })).status
      assert.equal(await there(), 200)
      await service.http('POST', '/auth/logout', { body: { refreshToken: person.refreshToken } })
      await sleep(1100)
      assert.equal(await there(), 401)
    } finally {
      await second.end('SIGTERM')
    }
  })

  test('the access token is an EdDSA JWT of 15 minutes that the published keys verify', async () => {
    const { token, id } = await registerHuman(service)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const json = (part: string) =>
      JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, number | string>
    const { alg, typ, kid } = json(header)
    assert.deepEqual([alg, typ], ['EdDSA', 'at+jwt'])
    const claims = json(payload)
    assert.deepEqual([claims.sub, claims.iss, claims.aud], [id, service.services.publicUrl, 'svc'])
    assert.equal(Number(claims.exp) - Number(claims.iat), 900)
    const { keys } = (
      await service.http<{ keys: (JsonWebKey & { kid: string })[] }>('GET', '/.well-known/jwks.json')
    ).body
    const key = keys.find(each => each.kid === kid)
    assert.ok(key && !('d' in key))
    assert.ok(
      verify(
        null,
        Buffer.from(`${header}.${payload}`),
        createPublicKey({ key, format: 'jwk' }),
        Buffer.from(signature, 'base64url'),
      ),
    )
  })

  test('a token that was changed, is unsigned, or is of another kind or time is a 401', async () => {
    const { token, id } = await registerHuman(service)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { tokensOf } = await import('./token.ts')
    const tokens = await tokensOf(service.services)
    const claims = {
      sub: id,
      sid: (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid: string }).sid,
    }
    const bad = [
      `${header}.${encoded({ ...claims, exp: 9_999_999_999, aud: 'svc', jti: 'x', role: 'ADMIN' })}.${signature}`,
      `${encoded({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header}.${payload}`,
      'a.b.c',
      tokens.sign('mfa', claims, 900),
      tokens.sign('state', claims, 900),
      tokens.sign('access', claims, -1),
      tokens.sign('access', { ...claims, sub: (await registerHuman(service)).id }, 900),
      tokens.sign('access', { ...claims, sid: 'nonsense' }, 900),
    ]
    for (const text of bad) assert.equal(await me(text), 401, text)
    assert.equal(await me(tokens.sign('access', claims, 900)), 200)
  })

  test('lists own sessions and revokes one', async () => {
    const person = await registerHuman(service)
    const login = await service.http<Pair>('POST', '/auth/login', {
      body: { email: person.email, password: 'correct horse battery staple' },
      headers: { 'user-agent': 'phone' },
    })
    interface List {
      items: { id: string; method: string; userAgent: string; current: boolean }[]
      total: number
    }
    const list = async () => (await service.http<List>('GET', '/auth/sessions', { token: person.token })).body
    const { items, total } = await list()
    assert.deepEqual(
      [total, items.map(item => [item.method, item.current])],
      [
        2,
        [
          ['password', false],
          ['registration', true],
        ],
      ],
    )
    assert.equal(items[0]?.userAgent, 'phone')
    const path = `/auth/sessions/${items[0]?.id}`
    const outsider = await registerHuman(service)
    assert.equal((await service.http('DELETE', path, { token: outsider.token })).status, 403)
    assert.equal(
      (await service.http('DELETE', '/auth/sessions/nonsense', { token: person.token })).status,
      404,
    )
    assert.equal((await service.http('DELETE', path, { token: person.token })).status, 204)
    assert.equal((await service.http('DELETE', path, { token: person.token })).status, 404)
    assert.equal(await me(login.body.accessToken), 401)
    assert.equal((await refresh(login.body.refreshToken)).status, 401)
    assert.equal((await list()).total, 1)
  })
})
