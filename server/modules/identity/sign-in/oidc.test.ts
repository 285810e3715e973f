import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import {
  linkTo,
  ProviderBrowser as Browser,
  registerHuman,
  startWithIdentityProvider,
  type ProviderPeople,
  type ServiceWithProvider,
  type TestService,
} from '#test'

const LOGIN = '/auth/identity-provider/login'
const CALLBACK = '/auth/identity-provider/callback'

suite('signing in at an identity provider', () => {
  const people: ProviderPeople = {}
  let service: TestService
  let trial: ServiceWithProvider
  before(async () => {
    trial = await startWithIdentityProvider(people)
    ;({ service } = trial)
  })
  after(async () => {
    await trial.close()
  })

  const signIn = (login: string, browser = new Browser()) => browser.signIn(service.baseUrl + LOGIN, login)
  /** What a browser that began gets when it comes back with an answer of our making. */
  async function answered(query: string): Promise<URLSearchParams> {
    const browser = new Browser()
    const { searchParams } = new URL(
      (await browser.get(service.baseUrl + LOGIN)).headers.get('location') ?? '',
    )
    const issuer = encodeURIComponent(service.services.config.OIDC_ISSUER ?? '')
    const state = `state=${searchParams.get('state')}&iss=${issuer}`
    return browser.signIn(`${service.baseUrl}${CALLBACK}?${state}&${query}`, 'ada')
  }
  const me = async (answer: URLSearchParams) =>
    (
      await service.http<{ id: string; email: string; displayName: string }>('GET', '/users/me', {
        token: answer.get('accessToken') ?? '',
      })
    ).body

  test('redirects with PKCE, nonce and a state that is bound to a cookie', async () => {
    const answer = await service.http('GET', `${LOGIN}?referralSource=abc`)
    assert.equal(answer.status, 302)
    const { searchParams } = new URL(answer.headers.get('location') ?? '')
    assert.deepEqual(
      [
        searchParams.get('response_type'),
        searchParams.get('code_challenge_method'),
        searchParams.get('client_id'),
      ],
      ['code', 'S256', 'svc'],
    )
    assert.ok(searchParams.get('state') && searchParams.get('nonce') && searchParams.get('code_challenge'))
    const [cookie = ''] = answer.headers.getSetCookie()
    assert.match(cookie, /HttpOnly/)
    assert.match(cookie, /SameSite=Lax/)
    assert.ok(!answer.headers.get('location')?.includes(/=([^;]+)/.exec(cookie)?.[1] ?? '-'))
  })

  test('comes back with tokens in the fragment; the same person is the same account', async () => {
    people.grace = { email: 'grace@example.com', email_verified: true, name: 'Grace' }
    const first = await signIn('grace')
    assert.equal(first.get('error'), null)
    const account = await me(first)
    assert.deepEqual([account.email, account.displayName], ['grace@example.com', 'Grace'])
    assert.equal(
      (await service.http('POST', '/auth/refresh', { body: { refreshToken: first.get('refreshToken') } }))
        .status,
      200,
    )
    people.grace.email = 'grace@elsewhere.example'
    assert.equal((await me(await signIn('grace'))).id, account.id)
  })

  test('an account with a confirmed address is linked, and asked for its second factor', async () => {
    const person = await registerHuman(service)
    people.owner = { email: person.email, email_verified: true }
    const { email, token } = person
    await service.http('POST', '/auth/verify-email', {
      token,
      body: { token: await linkTo(service, email, 'verify') },
    })
    assert.equal((await me(await signIn('owner'))).id, person.id)
    const {
      body: { manualEntryKey: secret },
    } = await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token: person.token })
    await service.http('POST', '/mfa/enable', {
      token: person.token,
      body: { token: generateSync({ secret }) },
    })
    const asked = await signIn('owner')
    assert.deepEqual([asked.get('mfaRequired'), asked.get('accessToken')], ['true', null])
    const done = await service.http('POST', '/auth/login/mfa', {
      body: { mfaToken: asked.get('mfaToken'), totpCode: generateSync({ secret }) },
    })
    assert.equal(done.status, 200)
  })

  test('an address that the provider has not confirmed opens no existing account', async () => {
    const victim = await registerHuman(service)
    await service.http('POST', '/auth/verify-email', {
      body: { token: await linkTo(service, victim.email, 'verify') },
    })
    people.mallory = { email: victim.email, email_verified: false }
    const answer = await signIn('mallory')
    assert.equal(answer.get('accessToken'), null)
    assert.match(answer.get('error') ?? '', /^INVALID_EXTERNAL_IDENTITY$/)
  })

  test('callbacks of another browser, repeats and invalid codes end on the error page', async () => {
    people.ada = { name: 'Ada' }
    const browser = new Browser()
    assert.equal((await signIn('ada', browser)).get('error'), null)
    const used = browser.visited.find(url => url.includes(CALLBACK)) ?? ''
    assert.equal((await new Browser().signIn(used, 'ada')).get('error'), 'TOKEN_INVALID')
    const other = new Browser()
    await other.get(service.baseUrl + LOGIN)
    assert.match((await other.signIn(used, 'ada')).get('error') ?? '', /^(SIGN_IN_FAILED|PROVIDER_REFUSED)$/)
    assert.equal((await answered('code=nonsense')).get('error'), 'SIGN_IN_FAILED')
    assert.equal((await answered('error=access_denied')).get('error'), 'SIGN_IN_CANCELLED')
  })

  test('a valid callback works once, only in the browser that started', async () => {
    people.eve = { name: 'Eve' }
    const eve = new Browser()
    const callback = await eve.follow(service.baseUrl + LOGIN, 'eve', CALLBACK)
    const exchanged: string[] = []
    trial.server.on('request', ({ url = '' }) => url.startsWith('/token') && exchanged.push(url))
    const notBegunHere = /^TOKEN_INVALID$/
    const errorIn = async (browser: Browser, url = callback) =>
      (await browser.signIn(url, 'eve')).get('error') ?? ''
    assert.match(await errorIn(new Browser()), notBegunHere)
    const victim = new Browser()
    await victim.get(service.baseUrl + LOGIN)
    assert.match(await errorIn(victim), /^SIGN_IN_FAILED$/)
    const forger = new Browser()
    const [head = '', claims = '', mark = ''] = eve.cookies.get('svc_state')?.split('.') ?? []
    const other = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'chosen' } as object
    const url = new URL(callback)
    url.searchParams.set('state', 'chosen')
    forger.cookies.set(
      'svc_state',
      `${head}.${Buffer.from(JSON.stringify(other)).toString('base64url')}.${mark}`,
    )
    assert.match(await errorIn(forger, url.href), notBegunHere)
    assert.deepEqual(exchanged, [], 'nothing of it reaches the provider')
    assert.equal(await errorIn(eve), '')
    assert.equal(exchanged.length, 1)
    assert.ok(!eve.cookies.has('svc_state'))
  })

  test('the code of an affiliate, or the last click, binds the account that the sign-in makes', async () => {
    const { body: affiliate } = await service.http<{ referralCode: string }>('POST', '/auth/register-agent', {
      body: { username: 'affiliate_of_oidc' },
    })
    const sources = async (id: string) =>
      (
        await service.services.db.pool.query<{ code: string }>(
          'select code from affiliates_referral r join affiliates_profile p on p.id = profile_id where r.account_id = $1',
          [id],
        )
      ).rows
    people.kay = { name: 'Kay' }
    const { id } = await me(
      await new Browser().signIn(
        `${service.baseUrl}${LOGIN}?referralSource=${affiliate.referralCode}`,
        'kay',
      ),
    )
    assert.deepEqual(await sources(id), [{ code: affiliate.referralCode }])
    people.lee = { name: 'Lee' }
    const other = await me(
      await new Browser().signIn(`${service.baseUrl}${LOGIN}?referralSource=unknown`, 'lee'),
    )
    assert.deepEqual(await sources(other.id), [])
    people.max = { name: 'Max' }
    const visitor = new Browser()
    // Not by the browser of the test, whose cookies count as secrets: a click is none.
    const link = `${service.baseUrl}/affiliates/r/${affiliate.referralCode}`
    const { headers } = await fetch(link, {
      redirect: 'manual',
      headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
    })
    const [name = '', value = ''] = headers.getSetCookie()[0]?.split(/[=;]/) ?? []
    visitor.cookies.set(name, value)
    const brought = await me(await signIn('max', visitor))
    assert.deepEqual(await sources(brought.id), [{ code: affiliate.referralCode }])
  })

  test('the value of the page that started comes back with tokens and with errors', async () => {
    people.ida = { name: 'Ida' }
    const clientState = 'a-random-value-of-the-page'
    const start = `${service.baseUrl}${LOGIN}?clientState=${clientState}`
    assert.equal((await new Browser().signIn(start, 'ida')).get('clientState'), clientState)
    assert.equal((await signIn('ida')).get('clientState'), null)
    const browser = new Browser()
    const callback = await browser.follow(start, 'ida', CALLBACK)
    const wrong = new URL(callback)
    wrong.searchParams.set('code', 'nonsense')
    const refused = await browser.signIn(wrong.href, 'ida')
    assert.deepEqual([refused.get('error'), refused.get('clientState')], ['SIGN_IN_FAILED', clientState])
    assert.equal((await service.http('GET', `${LOGIN}?clientState=short`)).status, 400)
  })

  test('a callback without code or state is a 400', async () => {
    for (const query of ['', '?state=x', '?code=x', '?state=&code='])
      assert.equal((await service.http('GET', CALLBACK + query)).status, 400)
  })
})
