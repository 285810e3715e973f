import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { sql } from '#platform/kernel/sql'
import { KeyTrial, publishAgent, startTestService, type ListedAgent, type TestService } from '#test'
import { CALLBACK, OAuthMcpClient } from '../../../test/support/mcp/oauth.ts'

interface Connected {
  id: string
  name: string
  status: string
  scopes: string[]
  spendingLimit: string
}

suite('signing in to /mcp by OAuth', () => {
  let service: TestService
  let trial: KeyTrial
  let agent: ListedAgent
  before(async () => {
    service = await startTestService()
    trial = await KeyTrial.open(service)
    agent = await publishAgent(service, trial.owner, { pricing: { model: 'fixed', amount: 30 } })
  })
  after(() => service.close())

  const connected = async (): Promise<Connected> => {
    const { body } = await service.http<{ items: Connected[] }>('GET', '/api/v1/service-accounts', {
      token: trial.buyer.token,
    })
    return body.items[0] ?? assert.fail('no service account')
  }
  const hire = (client: Client) =>
    client.callTool({ name: 'hire_agent', arguments: { agent: agent.slug, task: 'Write' } })
  const token = (form: Record<string, string>) =>
    fetch(`${service.baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const errorOf = async (form: Record<string, string>) => {
    const response = await token(form)
    const { error } = (await response.json()) as { error: string }
    return [response.status, error]
  }

  test('leads the client of the SDK from 401 to a tool call, within the limit of the person', async () => {
    const mcp = new OAuthMcpClient(service)
    const client = await mcp.signIn(trial.buyer.token)
    assert.match(mcp.store.held?.access_token ?? '', /^sk_/)
    assert.equal((await hire(client)).isError, undefined)
    const refused = await hire(client)
    assert.match(JSON.stringify(refused.content), /KEY_LIMIT_EXCEEDED/)
    const { name, status, spendingLimit } = await connected()
    assert.deepEqual([name, status, spendingLimit], ['Assistant', 'ACTIVE', '50.00'])
  })

  test('renews an access token that has ended, with what is left of the limit', async () => {
    const mcp = new OAuthMcpClient(service)
    const client = await mcp.signIn(trial.buyer.token)
    assert.equal((await hire(client)).isError, undefined)
    const first = mcp.store.held?.access_token
    await service.advance(3700)
    const { status, body } = await service.http<{ hint: string }>('GET', '/agents/my-agents', {
      token: first,
    })
    assert.deepEqual([status, body.hint], [401, 'The access token has expired, refresh it'])
    assert.match(JSON.stringify((await hire(client)).content), /KEY_LIMIT_EXCEEDED/)
    assert.notEqual(mcp.store.held?.access_token, first)
  })

  test('ends when the person revokes it', async () => {
    const mcp = new OAuthMcpClient(service)
    const client = await mcp.signIn(trial.buyer.token)
    const { id } = await connected()
    const revoked = await service.http('DELETE', `/api/v1/service-accounts/${id}`, {
      token: trial.buyer.token,
    })
    assert.equal(revoked.status, 200)
    mcp.store.asked = undefined
    await assert.rejects(hire(client), UnauthorizedError)
    assert.ok(mcp.store.asked)
    assert.equal(mcp.store.held, undefined)
  })

  test('gives the scopes that were asked for, and no others', async () => {
    const mcp = new OAuthMcpClient(service)
    const client = await mcp.signIn(trial.buyer.token, { scope: 'agent:read unknown' })
    assert.deepEqual((await connected()).scopes, ['agent:read'])
    assert.match(JSON.stringify((await hire(client)).content), /lacks the scope/)
  })

  test('a code works once, for its client, verifier and address; a second use ends its tokens', async () => {
    const mcp = new OAuthMcpClient(service)
    const { searchParams: params } = await mcp.begin(mcp.transport())
    const { body } = await mcp.consent(params, trial.buyer.token)
    const url = new URL(body.redirectUrl)
    assert.deepEqual(
      [url.origin + url.pathname, url.searchParams.get('state'), url.searchParams.get('iss')],
      [CALLBACK, 'of-the-client', service.baseUrl],
    )
    const form = {
      grant_type: 'authorization_code',
      client_id: params.get('client_id') ?? '',
      code: url.searchParams.get('code') ?? '',
      code_verifier: mcp.store.verifier,
      redirect_uri: CALLBACK,
    }
    for (const wrong of [
      { code_verifier: 'x'.repeat(43) },
      { redirect_uri: `${CALLBACK}/other` },
      { client_id: 'c1.e30.AAAA' },
      { code: 'unknown' },
    ])
      assert.deepEqual(await errorOf({ ...form, ...wrong }), [400, 'invalid_grant'], JSON.stringify(wrong))
    assert.deepEqual(await errorOf({ ...form, grant_type: 'password' }), [400, 'unsupported_grant_type'])
    assert.deepEqual(await errorOf({ ...form, resource: 'https://example.com' }), [400, 'invalid_target'])
    const expire = (by: string) =>
      service.services.db.run(
        sql`update oauth_grant set code_expires_at = code_expires_at + ${by}::interval where service_account_id is null`,
      )
    await expire('-11 minutes')
    assert.deepEqual(await errorOf(form), [400, 'invalid_grant'])
    await expire('11 minutes')
    const response = await token(form)
    assert.deepEqual([response.status, response.headers.get('cache-control')], [200, 'no-store'])
    const { access_token: key } = (await response.json()) as { access_token: string }
    assert.equal((await service.http('GET', '/agents/my-agents', { token: key })).status, 200)
    assert.deepEqual(await errorOf(form), [400, 'invalid_grant'])
    assert.equal((await service.http('GET', '/agents/my-agents', { token: key })).status, 401)
  })

  test('a refresh token works once, for its client; a late second use ends the authorization', async () => {
    const mcp = new OAuthMcpClient(service)
    await mcp.signIn(trial.buyer.token)
    const { id } = await connected()
    const refresh = {
      grant_type: 'refresh_token',
      client_id: mcp.store.client?.client_id ?? '',
      refresh_token: mcp.store.held?.refresh_token ?? '',
    }
    assert.deepEqual(await errorOf({ ...refresh, client_id: 'another' }), [400, 'invalid_grant'])
    const account = `/api/v1/service-accounts/${id}`
    const body = { scopes: ['agent:read'] }
    assert.equal((await service.http('PATCH', account, { token: trial.buyer.token, body })).status, 200)
    const answers = await Promise.all([token(refresh), token(refresh)])
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 400]))
    const given = await Promise.all(answers.map(answer => answer.json() as Promise<{ scope?: string }>))
    assert.ok(given.some(({ scope }) => scope === 'agent:read'))
    assert.equal((await connected()).status, 'ACTIVE')
    const rotated = await service.http<{ code: string }>('POST', `${account}/rotate`, {
      token: trial.buyer.token,
    })
    assert.deepEqual([rotated.status, rotated.body.code], [409, 'KEYS_OF_APPLICATION'])
    await service.services.db.run(
      sql`update oauth_grant set refreshed_at = refreshed_at - interval '2 minutes' where service_account_id = ${id}`,
    )
    assert.deepEqual(await errorOf(refresh), [400, 'invalid_grant'])
    assert.equal((await connected()).status, 'REVOKED')
  })

  test('the use of any earlier refresh token ends the authorization, however often it was renewed since', async () => {
    const mcp = new OAuthMcpClient(service)
    await mcp.signIn(trial.buyer.token)
    const client_id = mcp.store.client?.client_id ?? ''
    const first = mcp.store.held?.refresh_token ?? ''
    const renew = async (refresh_token: string) => {
      const response = await token({ grant_type: 'refresh_token', client_id, refresh_token })
      return ((await response.json()) as { refresh_token: string }).refresh_token
    }
    const stolen = await renew(await renew(first))
    assert.deepEqual(await errorOf({ grant_type: 'refresh_token', client_id, refresh_token: first }), [
      400,
      'invalid_grant',
    ])
    assert.equal((await connected()).status, 'REVOKED')
    assert.equal(await renew(stolen), undefined)
  })

  test('an authorization ends after 90 days, although it is renewed', async () => {
    const mcp = new OAuthMcpClient(service)
    const client = await mcp.signIn(trial.buyer.token)
    const { id } = await connected()
    const age = (by: string) =>
      service.services.db.run(
        sql`update oauth_grant set code_expires_at = code_expires_at - ${by}::interval where service_account_id = ${id}`,
      )
    await age('89 days')
    await service.advance(3700)
    await client.callTool({ name: 'get_balance', arguments: {} })
    await age('2 days')
    await service.advance(3700)
    await assert.rejects(client.callTool({ name: 'get_balance', arguments: {} }), UnauthorizedError)
    assert.equal((await connected()).status, 'REVOKED')
  })

  test('refuses clients, addresses and resources that it does not know', async () => {
    const mcp = new OAuthMcpClient(service)
    const { searchParams: params } = await mcp.begin(mcp.transport())
    for (const [change, code] of [
      [{ clientId: 'c1.e30.AAAA' }, 'UNKNOWN_CLIENT'],
      [{ redirectUri: 'https://evil.example/callback' }, 'REDIRECT_NOT_REGISTERED'],
      [{ redirectUri: 'http://[' }, 'REDIRECT_NOT_REGISTERED'],
      [{ resource: 'https://evil.example/mcp' }, 'VALIDATION_FAILED'],
      [{ scope: 'nothing' }, 'VALIDATION_FAILED'],
    ] as const) {
      const { status, body } = await mcp.consent(params, trial.buyer.token, change)
      assert.deepEqual([status, body.code], [400, code])
    }
    const otherPort = { redirectUri: CALLBACK.replace('8765', '9999') }
    assert.equal((await mcp.consent(params, trial.buyer.token, otherPort)).status, 201)
    const query = new URLSearchParams({ clientId: params.get('client_id') ?? '', redirectUri: CALLBACK })
    const { body } = await service.http<{ name: string; scopes: string[] }>(
      'GET',
      `/oauth/client?${String(query)}`,
      {
        token: trial.buyer.token,
      },
    )
    assert.deepEqual([body.name, body.scopes.length], ['Assistant', 4])
  })

  test('a name that hides or turns text is cleaned', async () => {
    const nameOf = async (name: string) => {
      const body = { redirect_uris: [CALLBACK], client_name: name }
      return (await service.http<{ client_name: string }>('POST', '/oauth/register', { body })).body
        .client_name
    }
    assert.equal(await nameOf(' Assis\u202Etant\u200B'), 'Assistant')
    assert.equal(await nameOf('\u200B '), 'A client without a name')
  })

  test('registers only redirect addresses that give no code away', async () => {
    const statusOf = async (uri: string) =>
      (await service.http('POST', '/oauth/register', { body: { redirect_uris: [uri] } })).status
    for (const uri of [
      'https://app.example/cb',
      'http://localhost:1/cb',
      'cursor://auth',
      'com.example.app:/cb',
    ])
      assert.equal(await statusOf(uri), 201, uri)
    for (const uri of [
      'http://app.example/cb',
      'javascript:alert(1)',
      'data:text/html,x',
      'no-address',
      'https://a/#x',
    ])
      assert.equal(await statusOf(uri), 400, uri)
  })
})
