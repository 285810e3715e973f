import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import { linkTo, registerHuman, startTestService, type Person, type TestService } from '#test'
import { CALLBACK, OAuthMcpClient } from '../../../test/support/mcp/oauth.ts'

const PASSWORD = 'correct horse battery staple'
const NEXT = 'a wholly new password'

suite('how long an authorization by OAuth lasts', () => {
  let service: TestService
  let admin: string
  before(async () => {
    service = await startTestService()
    admin = await service.adminToken()
  })
  after(() => service.close())

  const post = (url: string, body: object, token?: string) =>
    service.http('POST', url, { body, ...(token ? { token } : {}) })
  const ask = async (person: Person) => {
    const mcp = new OAuthMcpClient(service)
    const { searchParams: params } = await mcp.begin(mcp.transport())
    return { mcp, params, ...(await mcp.consent(params, person.token)) }
  }
  /** A code that the client has not exchanged yet, as the form of its request. */
  async function codeOf(person: Person): Promise<Record<string, string>> {
    const { mcp, params, body } = await ask(person)
    return {
      grant_type: 'authorization_code',
      client_id: params.get('client_id') ?? '',
      code: new URL(body.redirectUrl).searchParams.get('code') ?? '',
      code_verifier: mcp.store.verifier,
      redirect_uri: CALLBACK,
    }
  }
  const exchange = async (form: Record<string, string>) => {
    const response = await fetch(`${service.baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    const { error } = (await response.json()) as { error?: string }
    return [response.status, error]
  }

  const CHANGES: [string, (person: Person) => Promise<void>][] = [
    [
      'a new password',
      async ({ token }) => {
        const changed = await post(
          '/auth/change-password',
          { currentPassword: PASSWORD, newPassword: NEXT },
          token,
        )
        assert.equal(changed.status, 200, changed.text)
      },
    ],
    [
      'a password reset',
      async ({ email }) => {
        await post('/auth/forgot-password', { email })
        const reset = await post('/auth/reset-password', {
          token: await linkTo(service, email, 'reset'),
          newPassword: NEXT,
          revokeApiKeys: true,
        })
        assert.equal(reset.status, 200, reset.text)
      },
    ],
    [
      'a suspension that is over',
      async ({ id }) => {
        for (const step of ['suspend', 'reinstate']) {
          const { status, text } = await post(`/admin/users/${id}/${step}`, { reason: 'test' }, admin)
          assert.ok(status < 300, text)
        }
      },
    ],
  ]
  for (const [what, change] of CHANGES) {
    test(`a code that was not exchanged ends with ${what}`, async () => {
      const person = await registerHuman(service)
      const form = await codeOf(person)
      await change(person)
      assert.deepEqual(await exchange(form), [400, 'invalid_grant'])
    })
  }

  test('renewed tokens do not pile up: ten work at a time, and none that has expired is left', async () => {
    const person = await registerHuman(service)
    const form = await codeOf(person)
    const send = async (body: Record<string, string>) => {
      const response = await fetch(`${service.baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(body),
      })
      assert.equal(response.status, 200)
      return (await response.json()) as { access_token: string; refresh_token: string }
    }
    const given = [await send(form)]
    const renew = async () => {
      const refresh_token = given.at(-1)?.refresh_token ?? ''
      given.push(
        await send({ grant_type: 'refresh_token', client_id: form['client_id'] ?? '', refresh_token }),
      )
    }
    for (let n = 0; n < 11; n++) await renew()
    const statuses: number[] = []
    for (const { access_token: token } of given)
      statuses.push((await service.http('GET', '/agents/my-agents', { token })).status)
    assert.deepEqual(statuses, [401, 401, ...Array.from({ length: 10 }, () => 200)])
    await service.advance(3601)
    await renew()
    const left = await service.services.db.rows(sql`
      select from identity_key where account_id = ${person.id} and status <> 'REVOKED'`)
    assert.equal(left.length, 1)
    const audited = await service.services.db.rows(sql`
      select from platform_audit a join platform_audit_private p on p.audit_id = a.id
      where action = 'key.revoked' and details ->> 'keyId' in (
        select id::text from identity_key where account_id = ${person.id})`)
    assert.equal(audited.length, 2, 'those that had expired are not in the audit log')
  })

  /** So many more service accounts, as clients leave them behind. */
  const fill = (person: Person, count: number) =>
    service.services.db.run(sql`
      insert into identity_service_account (id, account_id, kind, name, description, scopes, created_at, updated_at)
      select gen_random_uuid(), ${person.id}, 'sk', 'Left', '', '{agent:read}', now(), now()
      from generate_series(1, ${count})`)

  test('above the limit of service accounts the person is refused, and the client gets an error of OAuth', async () => {
    const person = await registerHuman(service)
    const form = await codeOf(person)
    await fill(person, 100)
    const refused = await ask(person)
    assert.deepEqual([refused.status, refused.body.code], [409, 'TOO_MANY_KEYS'])
    assert.deepEqual(await exchange(form), [400, 'invalid_grant'])
  })

  test('of codes that are exchanged at the same moment, the last free place goes to one', async () => {
    const person = await registerHuman(service)
    const forms = [await codeOf(person), await codeOf(person), await codeOf(person)]
    await fill(person, 99)
    const statuses = (await Promise.all(forms.map(exchange))).map(([status]) => Number(status))
    assert.deepEqual(
      statuses.toSorted((one, other) => one - other),
      [200, 400, 400],
    )
  })

  interface Listed {
    status: string
    expiresAt: string
  }
  const listed = async ({ token }: Person): Promise<Listed> => {
    const { body } = await service.http<{ items: Listed[] }>('GET', '/api/v1/service-accounts', { token })
    return body.items[0] ?? assert.fail('no service account')
  }
  /** A client that is signed in, and its next renewal: the status and the life of the new token. */
  async function client(person: Person) {
    const form = await codeOf(person)
    let refreshToken: string | undefined
    const send = async (body: Record<string, string>) => {
      const response = await fetch(`${service.baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(body),
      })
      const given = (await response.json()) as { refresh_token?: string; expires_in?: number }
      refreshToken = given.refresh_token
      return { status: response.status, expiresIn: given.expires_in ?? 0 }
    }
    assert.equal((await send(form)).status, 200)
    return () =>
      send({
        grant_type: 'refresh_token',
        client_id: form['client_id'] ?? '',
        refresh_token: refreshToken ?? '',
      })
  }
  const age = ({ id }: Person, by: string) =>
    service.services.db.run(sql`
      with grants as (update oauth_grant set code_expires_at = code_expires_at - ${by}::interval where account_id = ${id})
      update identity_service_account set renewable_until = renewable_until - ${by}::interval where account_id = ${id}`)

  test('the list has the end of the authorization, in real time, wherever the clock stands', async () => {
    const person = await registerHuman(service)
    await service.advance(30 * 86_400)
    const renew = await client(person)
    const { expiresAt } = await listed(person)
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000
    assert.ok(days > 89.9 && days < 90.1, expiresAt)
    // Longer than an authorization lasts: sessions do not end either.
    await service.advance(100 * 86_400)
    assert.deepEqual(await listed(person), { ...(await listed(person)), status: 'ACTIVE', expiresAt })
    assert.deepEqual(await renew(), { status: 200, expiresIn: 3600 })
    // An access token does not outlast the authorization.
    await age(person, `${days * 24 - 0.5} hours`)
    const { status, expiresIn } = await renew()
    assert.equal(status, 200)
    assert.ok(expiresIn > 1500 && expiresIn <= 1800, String(expiresIn))
    await age(person, '31 minutes')
    assert.equal((await listed(person)).status, 'EXPIRED')
    assert.equal((await renew()).status, 400)
    assert.equal((await listed(person)).status, 'REVOKED')
  })

  test('a later or no end that the person sets does not make the authorization longer', async () => {
    const person = await registerHuman(service)
    const renew = await client(person)
    const { body } = await service.http<{ items: { id: string }[] }>('GET', '/api/v1/service-accounts', {
      token: person.token,
    })
    const patch = async (expiresAt: string | null) => {
      const changed = await service.http<Listed>('PATCH', `/api/v1/service-accounts/${body.items[0]?.id}`, {
        token: person.token,
        body: { expiresAt },
      })
      assert.equal(changed.status, 200, changed.text)
      return changed.body
    }
    const { expiresAt } = await listed(person)
    for (const later of ['2999-01-01T00:00:00Z', null])
      assert.deepEqual([(await patch(later)).expiresAt, (await renew()).status], [expiresAt, 200])
    const sooner = new Date(service.services.clock.now().getTime() + 60_000).toISOString()
    assert.equal((await patch(sooner)).expiresAt, sooner < expiresAt ? sooner : expiresAt)
    await service.advance(61)
    assert.equal((await listed(person)).status, 'EXPIRED')
    assert.equal((await renew()).status, 400)
  })

  test('clients that never came back leave their places to others', async () => {
    const person = await registerHuman(service)
    assert.deepEqual(await exchange(await codeOf(person)), [200, undefined])
    await fill(person, 99)
    assert.equal((await ask(person)).status, 409)
    await service.services.db.run(sql`
      update oauth_grant set refreshed_at = refreshed_at - interval '31 days' where account_id = ${person.id}`)
    assert.deepEqual(await exchange(await codeOf(person)), [200, undefined])
    assert.equal((await ask(person)).status, 409)
  })
})
