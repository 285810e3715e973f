import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { generateSync } from 'otplib'
import {
  linkTo,
  ProviderBrowser,
  registerHuman,
  startWithIdentityProvider,
  type ProviderPeople,
  type ServiceWithProvider,
} from '#test'

const LOGIN = '/auth/identity-provider/login?session=cookie'
const CALLBACK = '/auth/identity-provider/callback'

suite('signing in at an identity provider with a session in cookies', () => {
  const people: ProviderPeople = {}
  let trial: ServiceWithProvider
  before(async () => {
    trial = await startWithIdentityProvider(people)
  })
  after(() => trial.close())

  const start = () => trial.service.baseUrl + LOGIN
  const me = async (browser: ProviderBrowser) => {
    const headers = { 'sec-fetch-site': 'same-origin', cookie: browser.cookieHeader() }
    return trial.service.http<{ email: string }>('GET', '/users/me', { headers })
  }

  test('ends in the console, signed in by cookies, without a token in any address', async () => {
    people.ada = { email: 'ada@example.com', email_verified: true, name: 'Ada' }
    const browser = new ProviderBrowser()
    const location = await browser.follow(start(), 'ada', '/app')
    assert.equal(location, `${trial.service.baseUrl}/app`)
    assert.deepEqual([...browser.cookies.keys()].filter(name => name.startsWith('svc_')).toSorted(), [
      'svc_access',
      'svc_refresh',
      'svc_signed_in',
    ])
    assert.equal((await me(browser)).body.email, 'ada@example.com')
  })

  test('a second factor is asked for by the console', async () => {
    const { email, token } = await registerHuman(trial.service)
    people.owner = { email, email_verified: true }
    const verify = await linkTo(trial.service, email, 'verify')
    await trial.service.http('POST', '/auth/verify-email', { token, body: { token: verify } })
    const { body } = await trial.service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    const secret = body.manualEntryKey
    await trial.service.http('POST', '/mfa/enable', { token, body: { token: generateSync({ secret }) } })
    const browser = new ProviderBrowser()
    const { hash, pathname } = new URL(await browser.follow(start(), 'owner', '/login'))
    assert.equal(pathname, '/login')
    assert.ok(!browser.cookies.has('svc_access'))
    const done = await trial.service.http<{ accessToken: string }>('POST', '/auth/login/mfa', {
      headers: { 'x-svc-session': 'cookie', 'sec-fetch-site': 'same-origin' },
      body: {
        mfaToken: new URLSearchParams(hash.slice(1)).get('mfaToken'),
        totpCode: generateSync({ secret }),
      },
    })
    assert.deepEqual([done.status, done.body.accessToken], [200, ''])
  })

  test('a refusal leads to the sign-in page with its code', async () => {
    people.eve = { name: 'Eve' }
    const browser = new ProviderBrowser()
    const callback = new URL(await browser.follow(start(), 'eve', CALLBACK))
    callback.searchParams.set('code', 'nonsense')
    const location = await browser.follow(callback.href, 'eve', '/login?')
    assert.equal(location, `${trial.service.baseUrl}/login?error=SIGN_IN_FAILED`)
    assert.ok(!browser.cookies.has('svc_access'))
  })

  test('another kind of session is a 400', async () => {
    const { status } = await trial.service.http('GET', '/auth/identity-provider/login?session=token')
    assert.equal(status, 400)
  })
})
