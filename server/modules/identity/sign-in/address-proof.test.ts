import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { generateSync } from 'otplib'
import {
  heldDeal,
  linkTo,
  mailsSettled,
  mailTo,
  openMarket,
  readDeal,
  registerHuman,
  sharedService,
  startTestService,
  type Person,
  type TestService,
} from '#test'

interface Answer {
  id?: string
  agentId?: string
  user?: { id: string }
  accessToken?: string
  apiKey?: string
  mfaRequired?: boolean
  mfaToken?: string
  message: string
}

const PASSWORD = 'correct horse battery staple'
const NEW = 'a wholly new password'

suite('proving an address that was not confirmed', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const post = (path: string, body?: object, token?: string) =>
    service.http<Answer>('POST', path, { body, token })
  const get = async (path: string, token?: string) => (await service.http('GET', path, { token })).status
  const login = async (email: string, password: string) =>
    (await post('/auth/login', { email, password })).status
  const confirm = async ({ email, token }: Person) =>
    assert.equal(
      (await post('/auth/verify-email', { token: await linkTo(service, email, 'verify') }, token)).status,
      200,
    )
  async function byMail(how: 'magic' | 'reset', email: string, bearer?: string) {
    await post(how === 'magic' ? '/auth/magic-link/request' : '/auth/forgot-password', { email })
    await mailsSettled(service)
    const token = await linkTo(service, email, how === 'magic' ? 'login' : 'reset')
    return how === 'magic'
      ? post('/auth/magic-link/consume', { token }, bearer)
      : post('/auth/reset-password', { token, newPassword: NEW }, bearer)
  }
  const inbox = async ({ id, apiKey = '' }: { id?: string; apiKey?: string }) =>
    (await service.http('GET', `/agents/${id}/inbox`, { headers: { 'x-agent-api-key': apiKey } })).status
  const makeKey = async (token: string) =>
    (await post('/api/v1/keys', { name: 'Spare key' }, token)).body.apiKey ?? ''

  for (const how of ['magic', 'reset'] as const) {
    test(`by ${how} link: revokes the credentials of the registrant and notifies the holder`, async () => {
      const squatted = await registerHuman(service)
      const { email, token, refreshToken } = squatted
      const apiKey = await makeKey(token)
      const { body: agent } = await post('/agents', { name: `Sleeper ${how}` }, token)
      assert.equal(await inbox(agent), 200)
      const evil = `${randomBytes(6).toString('hex')}@evil.example`
      await service.http('PATCH', '/users/me', { token, body: { email: evil } })
      const pending = await linkTo(service, evil, 'verify')
      const { status, body } = await byMail(how, email)
      assert.deepEqual([status, body.user?.id], [200, squatted.id])
      assert.equal(await get('/users/me', body.accessToken), 200)
      assert.equal(await get('/users/me', token), 401)
      assert.equal((await post('/auth/refresh', { refreshToken })).status, 401)
      assert.equal(await login(email, PASSWORD), 401)
      assert.equal(await get('/agents/my-agents', apiKey), 401)
      assert.equal(await inbox(agent), 401)
      assert.equal((await post('/auth/verify-email', { token: pending })).status, 400)
      await mailTo(service, email, /had been made by somebody who had not/)
      assert.equal(await login(email, NEW), how === 'reset' ? 200 : 401)
      const { items } = (
        await service.http<{ items: { status: string }[] }>('GET', '/api/v1/service-accounts', {
          token: body.accessToken,
        })
      ).body
      assert.deepEqual(
        items.map(item => item.status),
        ['REVOKED'],
      )
    })

    test(`by ${how} link: a registrant who is signed in keeps all credentials`, async () => {
      const { email, token } = await registerHuman(service)
      const apiKey = await makeKey(token)
      assert.equal((await byMail(how, email, token)).status, 200)
      assert.equal(await get('/agents/my-agents', apiKey), 200)
      const outsider = await registerHuman(service)
      const other = await registerHuman(service)
      const key = await makeKey(other.token)
      assert.equal((await byMail(how, other.email, outsider.token)).status, 200)
      assert.equal(await get('/agents/my-agents', key), 401)
    })

    test(`by ${how} link: a confirmed address was proved before, its keys go on`, async () => {
      const person = await registerHuman(service)
      const apiKey = await makeKey(person.token)
      await confirm(person)
      assert.equal((await byMail(how, person.email)).status, 200)
      assert.equal(await get('/agents/my-agents', apiKey), 200)
      assert.equal(await get('/users/me', person.token), how === 'magic' ? 200 : 401)
    })

    test(`by ${how} link: requires the second factor before it confirms the address`, async () => {
      const person = await registerHuman(service)
      const apiKey = await makeKey(person.token)
      const { manualEntryKey: secret } = (
        await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token: person.token })
      ).body
      await post('/mfa/enable', { token: generateSync({ secret }) }, person.token)
      assert.equal((await byMail(how, person.email)).body.mfaRequired, true)
      assert.equal(await get('/agents/my-agents', apiKey), 200)
      const { rows } = await service.services.db.pool.query<{ confirmed: boolean }>(
        'select email_verified_at is not null as confirmed from identity_account where id = $1',
        [person.id],
      )
      assert.equal(rows[0]?.confirmed, false)
      // What an admin does for the holder of an address that was registered by somebody with a factor.
      const token = await service.adminToken()
      assert.equal((await service.http('POST', `/admin/users/${person.id}/reset-mfa`, { token })).status, 200)
      assert.equal((await byMail('magic', person.email)).body.user?.id, person.id)
      assert.equal(await get('/agents/my-agents', apiKey), 401)
    })
  }

  test('a new password by mail waits for the second factor that guards an unconfirmed address', async () => {
    const { email, token } = await registerHuman(service)
    const apiKey = await makeKey(token)
    const { manualEntryKey: secret } = (
      await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    ).body
    const totpCode = generateSync({ secret })
    await post('/mfa/enable', { token: totpCode }, token)
    await post('/auth/forgot-password', { email })
    const link = { token: await linkTo(service, email, 'reset'), newPassword: NEW, revokeApiKeys: true }
    const { mfaToken } = (await post('/auth/reset-password', link)).body
    const holds = async () => [
      await get('/users/me', token),
      await get('/agents/my-agents', apiKey),
      await login(email, PASSWORD),
    ]
    assert.deepEqual(await holds(), [200, 200, 200])
    const signedIn = await post('/auth/login/mfa', { mfaToken, totpCode })
    assert.deepEqual([signedIn.status, await login(email, NEW)], [200, 200])
    assert.equal(await get('/users/me', signedIn.body.accessToken), 200)
    assert.deepEqual(await holds(), [401, 401, 401])
  })

  test('a set-up of a second factor that was begun is not left behind', async () => {
    const { email, token, id } = await registerHuman(service)
    await service.http('POST', '/mfa/setup', { token })
    await byMail('magic', email)
    const { rows } = await service.services.db.pool.query('select from identity_mfa where account_id = $1', [
      id,
    ])
    assert.equal(rows.length, 0)
  })

  test('an agent account without password or session keeps its agent key', async () => {
    const username = `a${randomBytes(5).toString('hex')}`
    const email = `${username}@example.com`
    const { agentId: id, apiKey } = (await post('/agents/register', { username, email })).body
    assert.equal((await byMail('magic', email)).status, 200)
    assert.equal(await inbox({ id, apiKey }), 200)
  })

  test('one of many concurrent links proves the address and freezes the deals', async () => {
    const market = await openMarket(service)
    const deal = await heldDeal(market)
    const { email } = market.agent.owner
    for (let n = 0; n < 3; n++) await post('/auth/magic-link/request', { email })
    const token = await linkTo(service, email, 'login')
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => post('/auth/magic-link/consume', { token })),
    )
    assert.deepEqual(
      answers.map(answer => answer.status).toSorted((a, b) => a - b),
      [200, 400, 400, 400, 400, 400],
    )
    const { escrow } = await readDeal(market, deal.id)
    assert.deepEqual([escrow.status, escrow.freezes], ['FROZEN', [`agent_keys_revoked:${market.agent.id}`]])
  })
})

suite('confirming an address from elsewhere than the registrant', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ INTERNAL_SECRET: 'a secret of the front end '.repeat(2) })
  })
  after(() => service.close())

  const post = (path: string, body?: object, token?: string) =>
    service.http<Answer & { code?: string }>('POST', path, { body, token })
  const provider = (email: string) =>
    service.http<Answer>('POST', '/auth/session/exchange', {
      headers: { 'x-internal-secret': 'a secret of the front end '.repeat(2) },
      body: { provider: 'github', subject: randomBytes(6).toString('hex'), email, emailVerified: true },
    })
  /** What somebody holds who registered an address: a session, a key and the password. */
  async function registrant() {
    const { email, token, id } = await registerHuman(service)
    const key = (await post('/api/v1/keys', {}, token)).body.apiKey ?? ''
    const holds = async () => [
      (await service.http('GET', '/users/me', { token })).status,
      (await service.http('GET', '/agents/my-agents', { token: key })).status,
      (await post('/auth/login', { email, password: PASSWORD })).status,
    ]
    return { email, token, id, holds, link: await linkTo(service, email, 'verify') }
  }

  test('a later sign-in by a provider revokes credentials of the registrant', async () => {
    const { email, id, holds, link } = await registrant()
    const confirmed = await post('/auth/verify-email', { token: link })
    assert.deepEqual(confirmed.body, { ok: true, requiresSignIn: true } as never)
    assert.deepEqual(await holds(), [200, 200, 200])
    assert.equal((await provider(email)).body.user?.id, id)
    assert.deepEqual(await holds(), [401, 401, 401])
  })

  test('with the access token or the password the registrant keeps everything', async () => {
    for (const withToken of [true, false]) {
      const { email, id, token, holds, link } = await registrant()
      const wrong = await post('/auth/verify-email', { token: link, password: 'wrong' })
      assert.deepEqual([wrong.status, wrong.body.code], [401, 'INVALID_CREDENTIALS'])
      const sent = withToken ? {} : { password: PASSWORD }
      const { status, body } = await post(
        '/auth/verify-email',
        { token: link, ...sent },
        withToken ? token : undefined,
      )
      assert.deepEqual([status, Boolean(body.accessToken)], [200, withToken])
      assert.equal((await provider(email)).body.user?.id, id)
      assert.deepEqual(await holds(), [200, 200, 200])
    }
  })

  test('saying that somebody else made the account ends what that one holds', async () => {
    const { email, token, holds, link } = await registrant()
    const { status, body } = await post('/auth/verify-email', { token: link, createdByMe: false }, token)
    assert.deepEqual([status, body], [200, { ok: true, requiresSignIn: true }])
    assert.deepEqual(await holds(), [401, 401, 401])
    await mailTo(service, email, /had been made by somebody who had not/)
  })

  test('a second factor keeps the account, and the answer says so', async () => {
    const { token, holds, link } = await registrant()
    const { body } = await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    await post('/mfa/enable', { token: generateSync({ secret: body.manualEntryKey }) }, token)
    const refused = await post('/auth/verify-email', { token: link, createdByMe: false })
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
    assert.deepEqual(await holds(), [200, 200, 200])
  })

  test("another's account that asks for the address neither keeps it nor is lost", async () => {
    const asking = await registrant()
    const wished = `${randomBytes(6).toString('hex')}@example.com`
    const wish = async () => {
      const { status } = await service.http('PATCH', '/users/me', {
        token: asking.token,
        body: { email: wished },
      })
      assert.equal(status, 200)
      await mailsSettled(service)
      return linkTo(service, wished, 'verify')
    }
    const refused = await post('/auth/verify-email', { token: await wish(), createdByMe: false })
    assert.equal(refused.status, 200)
    assert.deepEqual(await asking.holds(), [200, 200, 200])
    assert.equal(
      (await service.http<{ email: string }>('GET', '/users/me', { token: asking.token })).body.email,
      asking.email,
    )
    assert.equal((await post('/auth/verify-email', { token: await wish() })).status, 200)
    assert.equal((await provider(wished)).body.user?.id, asking.id)
    assert.deepEqual((await asking.holds()).slice(0, 2), [401, 401])
  })
})
