import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { registerHuman, sharedService, type TestService } from '#test'

interface Registered {
  user: { id: string; email: string; displayName: string; username: string; userType: string; role: string }
  accessToken: string
  refreshToken: string
  agentApiKey: string
  referralCode: string
  warnings?: string[]
  message: string | string[]
  suggestions: string[]
}
interface Listed {
  success: boolean
  username: string
  affiliateCode: string
  x402WalletAddress: string
  affiliateLink: string
  agentId: string
  slug: string
  warnings?: string[]
  apiKey: string
  message: string | string[]
  suggestions: string[]
}

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'
const username = () => `u${randomBytes(6).toString('hex')}`

suite('registration of agents', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const register = (body: object) => service.http<Registered>('POST', '/auth/register-agent', { body })
  const list = (body: object) => service.http<Listed>('POST', '/agents/register', { body })
  const counts = async () => {
    const { rows } = await service.services.db.pool.query<Record<string, number>>(`select
      (select count(*)::int from identity_account) as accounts, (select count(*)::int from identity_service_account) as service_accounts,
      (select count(*)::int from identity_key) as keys, (select count(*)::int from identity_session) as sessions,
      (select count(*)::int from wallets_wallet) as wallets, (select count(*)::int from affiliates_profile) as profiles,
      (select count(*)::int from agents_agent) as agents, (select count(*)::int from platform_audit) as audit`)
    return rows[0]
  }

  test('register-agent returns account, tokens, key and referral code', async () => {
    const name = username()
    const { status, body } = await register({ username: name, walletType: 'managed' })
    assert.equal(status, 201)
    assert.deepEqual(
      [body.user.username, body.user.displayName, body.user.email, body.user.userType, body.user.role],
      [name, name, '', 'AGENT', 'USER'],
    )
    assert.match(body.agentApiKey, /^sk_[0-9A-Za-z]{36}$/)
    assert.match(body.referralCode, /^\w{6,}$/)
    assert.ok(body.refreshToken)
    for (const token of [body.accessToken, body.agentApiKey]) {
      const wallet = await service.http<{ walletType: string; cryptoAddress: string }>(
        'GET',
        `/wallets/user/${body.user.id}`,
        { token },
      )
      assert.deepEqual([wallet.status, wallet.body.walletType], [200, 'MANAGED'])
      assert.match(wallet.body.cryptoAddress, /^0x[0-9a-fA-F]{40}$/)
    }
    const profile = await service.services.db.pool.query(
      'select status, rate_bps, months from affiliates_profile where account_id = $1 and code = $2',
      [body.user.id, body.referralCode],
    )
    assert.deepEqual(profile.rows, [{ status: 'ACTIVE', rate_bps: 2000, months: 24 }])
  })

  test('stores a provided wallet and a display name', async () => {
    const { status, body } = await register({
      username: username(),
      walletType: 'own',
      walletAddress: ADDRESS,
      agentDisplayName: 'Scribe',
    })
    assert.deepEqual([status, body.user.displayName], [201, 'Scribe'])
    const wallet = await service.http<{ walletType: string; cryptoAddress: string }>(
      'GET',
      `/wallets/user/${body.user.id}`,
      { token: body.accessToken },
    )
    assert.deepEqual([wallet.body.walletType, wallet.body.cryptoAddress], ['PROVIDED', ADDRESS])
  })

  test('rejects an invalid username or wallet with a 400 that names it', async () => {
    for (const name of ['ab', 'x'.repeat(21), 'Upper', 'da-sh', 'spa ce', 'ünï', '', 'admin', 'svc', 'bot']) {
      const { status, body } = await register({ username: name, walletType: 'managed' })
      assert.equal(status, 400, name)
      assert.ok(Array.isArray(body.message) && body.message[0]?.includes('username'), JSON.stringify(body))
    }
    for (const wallet of [
      {},
      { walletAddress: '0x12' },
      { walletAddress: ADDRESS.slice(2) },
      { walletAddress: `${ADDRESS}0` },
      { walletAddress: `0x${'g'.repeat(40)}` },
    ]) {
      const { status, body } = await register({ username: username(), walletType: 'own', ...wallet })
      assert.equal(status, 400, JSON.stringify(wallet))
      assert.match(String(body.message), /walletAddress|Invalid wallet address/)
    }
    assert.equal((await register({ username: username(), walletType: 'borrowed' })).status, 400)
  })

  test('rejects a taken username with 409 and usable suggestions', async () => {
    const name = username()
    await register({ username: name, walletType: 'managed' })
    const { status, body } = await register({ username: name, walletType: 'managed' })
    assert.equal(status, 409)
    assert.match(String(body.message), /^Username already exists/)
    assert.ok(body.suggestions.length >= 3)
    for (const suggestion of body.suggestions)
      assert.equal((await register({ username: suggestion, walletType: 'managed' })).status, 201, suggestion)
  })

  test('accepts exactly one of 16 parallel registrations of one username', async () => {
    const name = username()
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => register({ username: name, walletType: 'managed' })),
    )
    assert.equal(answers.filter(answer => answer.status === 201).length, 1)
    for (const answer of answers.filter(each => each.status !== 201)) {
      assert.equal(answer.status, 409)
      assert.ok(answer.body.suggestions.length)
    }
  })

  test('accepts a well-formed address; warns about a wrong checksum', async () => {
    const bad = ADDRESS.replace('E4169EE7', 'e4169EE7')
    for (const [walletAddress, doubted] of [
      [ADDRESS, false],
      [ADDRESS.toLowerCase(), false],
      [bad, true],
    ] as const) {
      const name = username()
      const own = await register({ username: name, walletType: 'own', walletAddress })
      assert.deepEqual([own.status, own.body.warnings?.length], [201, doubted ? 1 : undefined], walletAddress)
      const { body } = await service.http<{ cryptoAddress: string }>(
        'GET',
        `/wallets/user/${own.body.user.id}`,
        {
          token: own.body.accessToken,
        },
      )
      assert.equal(body.cryptoAddress, ADDRESS)
      const other = username()
      const wallet = { walletType: 'PROVIDED', walletAddress }
      const listed = await list({ username: other, email: `${other}@example.com`, ...wallet })
      assert.deepEqual(
        [listed.status, listed.body.x402WalletAddress, listed.body.warnings?.length],
        [200, ADDRESS, doubted ? 1 : undefined],
      )
    }
  })

  test('stores nothing if any step fails', async () => {
    const taken = username()
    await list({ username: taken, email: `${taken}@example.com` })
    const before = await counts()
    const refused = [
      await register({ username: taken, walletType: 'managed' }),
      await list({ username: taken, email: 'new@example.com' }),
      await list({ username: username(), email: `${taken}@EXAMPLE.com` }),
    ]
    assert.deepEqual(
      refused.map(answer => answer.status),
      [409, 409, 409],
    )
    assert.deepEqual(await counts(), before)
  })

  test('accepts a username that is the slug of an agent and derives another slug', async () => {
    const owner = await registerHuman(service)
    const name = username()
    await service.http('POST', '/agents', { token: owner.token, body: { name: 'First', slug: name } })
    const { status, body } = await list({ username: name, email: `${name}@example.com` })
    assert.deepEqual([status, body.username], [200, name])
    assert.match(body.slug, new RegExp(`^${name}-[0-9a-f]{8}$`))
    const agent = await service.http<{ slug: string }>('GET', `/agents/${body.agentId}`)
    assert.deepEqual([agent.status, agent.body.slug], [200, body.slug])
  })

  test('rolls back all steps if the last one fails', async () => {
    const before = await counts()
    const { pool } = service.services.db
    await pool.query(
      "alter table identity_session add constraint identity_session_fails check (method <> 'registration') not valid",
    )
    try {
      assert.equal((await register({ username: username(), walletType: 'managed' })).status, 500)
    } finally {
      await pool.query('alter table identity_session drop constraint identity_session_fails')
    }
    assert.deepEqual(await counts(), before)
  })

  test('agents/register creates account, DRAFT agent, key, wallet and referral', async () => {
    const name = username()
    const { status, body } = await list({
      username: name,
      email: `${name}@example.com`,
      walletType: 'PROVIDED',
      walletAddress: ADDRESS,
    })
    assert.equal(status, 200)
    assert.deepEqual([body.success, body.username, body.x402WalletAddress], [true, name, ADDRESS])
    assert.equal(body.affiliateLink, `${service.services.publicUrl}/affiliates/r/${body.affiliateCode}`)
    assert.match(body.apiKey, /^sa_[0-9A-Za-z]{36}$/)
    const agent = await service.http<{ slug: string; status: string; x402WalletAddress: string }>(
      'GET',
      `/agents/${body.agentId}`,
    )
    assert.deepEqual(
      [agent.body.slug, agent.body.status, agent.body.x402WalletAddress],
      [name, 'DRAFT', ADDRESS],
    )
  })

  test('agents/register rejects an invalid email and a taken username', async () => {
    const name = username()
    assert.equal((await list({ username: name, email: 'nobody', walletType: 'MANAGED' })).status, 400)
    assert.equal(
      (await list({ username: name, email: `${name}@example.com`, walletType: 'PROVIDED' })).status,
      400,
    )
    assert.equal(
      (await list({ username: name, email: `${name}@example.com`, walletType: 'MANAGED' })).status,
      200,
    )
    const known = await list({ username: username(), email: `${name}@example.com`, walletType: 'MANAGED' })
    assert.deepEqual(
      [known.status, known.body.message, known.body.suggestions],
      [409, 'E-mail already registered', []],
    )
    const again = await list({ username: name, email: `other${name}@example.com`, walletType: 'MANAGED' })
    assert.equal(again.status, 409)
    for (const suggestion of again.body.suggestions) {
      const check = await service.http<{ available: boolean }>(
        'GET',
        `/auth/check-username?username=${suggestion}`,
      )
      assert.equal(check.body.available, true)
    }
  })

  test('self-registration returns a service account, its key and the user', async () => {
    const name = username()
    const { status, body } = await service.http<{
      serviceAccount: { id: string; name: string; status: string; scopes: string[]; keyPrefix: string }
      apiKey: string
      user: { id: string; username: string; userType: string }
    }>('POST', '/api/v1/service-accounts/agents/self-register', { body: { username: name } })
    assert.equal(status, 201)
    assert.deepEqual(
      [body.user.username, body.user.userType, body.serviceAccount.name, body.serviceAccount.status],
      [name, 'AGENT', name, 'ACTIVE'],
    )
    assert.equal(body.serviceAccount.keyPrefix, `sk_…${body.apiKey.slice(-4)}`)
    assert.equal(body.serviceAccount.scopes.length, 4)
    assert.equal(
      (await service.http('GET', `/wallets/user/${body.user.id}`, { token: body.apiKey })).status,
      200,
    )
    assert.equal(
      (
        await service.http('POST', '/api/v1/service-accounts/agents/self-register', {
          body: { username: name },
        })
      ).status,
      409,
    )
    assert.equal(
      (
        await service.http('POST', '/api/v1/service-accounts/agents/self-register', {
          body: { username: 'a' },
        })
      ).status,
      400,
    )
  })
})
