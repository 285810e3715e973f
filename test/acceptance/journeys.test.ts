import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { generateSync } from 'otplib'
import type { BrowserContext, Page } from 'playwright-core'
import { firstAdminLink } from '#identity'
import { linkTo, registerHuman, startBrowser, startTestService, type Person, type TestBrowser, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'
const WAIT = { timeout: 15_000 }

/** What a person does who knows nothing of HTTP, in the browser that npm brought. */
suite('journeys through the pages', () => {
  let service: TestService
  let chromium: TestBrowser
  let context: BrowserContext
  let faults: string[]
  before(async () => {
    service = await startTestService()
    chromium = await startBrowser()
  })
  after(async () => {
    await chromium.close()
    await service.close()
  })

  /** A browser of one's own; whatever the pages' scripts or policies break fails the test. */
  const person = (name: string, act: (page: Page) => Promise<void>, options: object = {}) => test(name, async () => {
    context = await chromium.browser.newContext({ baseURL: service.baseUrl, ...options })
    faults = []
    context.on('weberror', error => faults.push(error.error().message))
    context.on('console', message => { if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text()) })
    try {
      const page = await context.newPage()
      page.setDefaultTimeout(WAIT.timeout)
      await act(page)
      assert.deepEqual(faults, [])
    } finally {
      await context.close()
    }
  })

  const fill = async (page: Page, fields: Record<string, string>) => {
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).filter({ visible: true }).fill(value)
  }
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).filter({ visible: true }).click()
  const at = (page: Page, path: string) => page.waitForURL(`${service.baseUrl}${path}`, WAIT)
  const sees = (page: Page, text: string | RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor(WAIT)
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor(WAIT)
  const signIn = async (page: Page, { email }: Person) => {
    await page.goto('/login')
    await fill(page, { 'E-mail': email, Password: PASSWORD })
    await press(page, 'Sign in')
  }
  const code = (secret: string, stepsAhead = 0) => generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * stepsAhead })
  const withSecondFactor = async () => {
    const someone = await registerHuman(service)
    const { body: { manualEntryKey: secret } } = await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token: someone.token })
    const { body } = await service.http<{ backupCodes: string[] }>('POST', '/mfa/enable', { token: someone.token, body: { token: code(secret) } })
    return { ...someone, secret, backupCodes: body.backupCodes }
  }
  const claimLink = async (name: string) => {
    const username = `bot_${Math.random().toString(36).slice(2, 10)}`
    const { body: bot } = await service.http<{ accessToken: string }>('POST', '/auth/register-agent', { body: { username, walletType: 'managed' } })
    const { body } = await service.http<{ claim_url: string }>('POST', '/agents/announce', { token: bot.accessToken, body: { name } })
    return new URL(body.claim_url).pathname
  }

  person('from the home page to an account with money, and out again', async page => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Create an account' }).click()
    await fill(page, { 'Your name': 'Ada', 'E-mail': 'ada@example.com', Password: PASSWORD })
    await press(page, 'Create the account')
    await at(page, '/account')
    await heading(page, 'Ada')
    await sees(page, 'Welcome. A mail to confirm your address is on its way.')
    await press(page, 'Add 100.00 with the test card')
    await sees(page, '100.00 USD added.')
    assert.equal(await page.locator('[data-available]').textContent(), '100.00')
    await page.reload()
    await heading(page, 'Ada')
    const token = await page.getByLabel('Access token').inputValue()
    assert.equal((await service.http<{ email: string }>('GET', '/users/me', { token })).body.email, 'ada@example.com')
    await press(page, 'Sign out')
    await at(page, '/')
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    assert.equal((await service.http('GET', '/users/me', { token })).status, 401)
    await page.goto('/account')
    await at(page, '/login')
  })

  person('the mail in the sandbox mailbox confirms the address, in the tab that it opens', async page => {
    await page.goto('/signup')
    await fill(page, { 'Your name': 'Bo', 'E-mail': 'bo@example.com', Password: PASSWORD })
    await press(page, 'Create the account')
    await at(page, '/account')
    await linkTo(service, 'bo@example.com', 'verify')
    await page.goto('/sandbox/mail?to=bo@example.com')
    const opened = context.waitForEvent('page')
    await page.frameLocator('iframe').first().getByRole('link', { name: 'Confirm the address' }).click()
    const tab = await opened
    await heading(tab, 'Confirm your e-mail')
    await press(tab, 'Yes, confirm it')
    await at(tab, '/account')
    await sees(tab, 'Your e-mail address is confirmed.')
  })

  person('a link to confirm that opens where nobody is signed in works too', async page => {
    const { email } = await registerHuman(service)
    await page.goto(`/verify/${await linkTo(service, email, 'verify')}`)
    await press(page, 'Yes, confirm it')
    await sees(page, 'Your e-mail address is confirmed.')
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
    await at(page, '/login')
  })

  person('a link by mail signs in; going back and opening it again do no harm', async page => {
    const { email } = await registerHuman(service)
    await page.goto('/login')
    await fill(page, { 'E-mail': email })
    await press(page, 'Mail me a sign-in link')
    await sees(page, 'If there is an account with this e-mail')
    const path = `/login/${await linkTo(service, email, 'login')}`
    await page.getByRole('link', { name: 'Open the sandbox mailbox' }).click()
    await page.goto(path)
    await sees(page, email)
    await press(page, 'Sign in')
    await at(page, '/account')
    await page.goBack()
    assert.ok(!page.url().includes(path))
    await page.goto(path)
    await heading(page, 'This link does not work any more')
    await page.getByRole('link', { name: 'go to your account' }).click()
    await at(page, '/account')
  })

  person('a forgotten password is set anew by mail, and a dead link offers another one', async page => {
    const someone = await registerHuman(service)
    await page.goto('/reset/long-dead')
    await fill(page, { 'E-mail': someone.email })
    await press(page, 'Mail me another link')
    await sees(page, 'If there is an account with this e-mail')
    await page.goto(`/reset/${await linkTo(service, someone.email, 'reset')}`)
    assert.equal(await page.getByLabel('Account', { exact: true }).inputValue(), someone.email)
    await fill(page, { 'New password': 'another horse battery' })
    await press(page, 'Save the password')
    await at(page, '/account')
    await sees(page, 'Your new password is saved')
    assert.equal((await service.http('POST', '/auth/login', { body: { email: someone.email, password: 'another horse battery' } })).status, 200)
  })

  person('who has a second factor is asked for it; a wrong code, a reload and the way back do no harm', async page => {
    const someone = await withSecondFactor()
    await signIn(page, someone)
    await heading(page, 'Your second factor')
    await fill(page, { Code: '000000' })
    await press(page, 'Continue')
    await sees(page, 'This code is wrong')
    await page.reload()
    await fill(page, { Code: code(someone.secret) })
    await press(page, 'Continue')
    await at(page, '/account')
    await heading(page, 'Test Person')
  })

  person('a reset with a second factor ends signed in, by a backup code too', async page => {
    const someone = await withSecondFactor()
    await service.http('POST', '/auth/forgot-password', { body: { email: someone.email } })
    await page.goto(`/reset/${await linkTo(service, someone.email, 'reset')}`)
    await fill(page, { 'New password': 'another horse battery' })
    await press(page, 'Save the password')
    await at(page, '/login')
    await sees(page, 'Your new password is saved')
    await press(page, 'Use a backup code')
    await fill(page, { Code: someone.backupCodes[0] ?? '' })
    await press(page, 'Continue')
    await at(page, '/account')
  })

  person('a newcomer claims an agent, and publishes it', async page => {
    await page.goto(await claimLink('Scribe'))
    await heading(page, 'Claim Scribe')
    await fill(page, { 'Your name': 'Cleo', 'E-mail': 'cleo@example.com', Password: PASSWORD })
    await press(page, 'Create an account and claim')
    await at(page, '/account')
    await sees(page, 'Scribe is yours.')
    await press(page, 'Publish Scribe')
    await sees(page, 'Scribe can be hired now.')
    await page.goto('/')
    await page.getByRole('heading', { name: 'Scribe' }).waitFor()
  })

  person('a claim by password and second factor goes on where it began', async page => {
    const someone = await withSecondFactor()
    const path = await claimLink('Night Scribe')
    await page.goto(path)
    await page.getByText('I have an account').click()
    await fill(page, { 'E-mail': someone.email, Password: 'not my password' })
    await press(page, 'Sign in and claim')
    await sees(page, 'E-mail or password is wrong.')
    await fill(page, { Password: PASSWORD })
    await press(page, 'Sign in and claim')
    await fill(page, { Code: code(someone.secret) })
    await press(page, 'Continue')
    await at(page, path)
    await press(page, 'Claim Night Scribe')
    await at(page, '/account')
    await sees(page, 'Night Scribe is yours.')
  })

  person('a claim that fails after the sign-in is repeated alone', async page => {
    const path = await claimLink('Flaky')
    await page.goto(path)
    await page.route('**/agents/claim/**', route => route.abort(), { times: 1 })
    await fill(page, { 'Your name': 'Di', 'E-mail': 'di@example.com', Password: PASSWORD })
    await press(page, 'Create an account and claim')
    await sees(page, 'The server did not answer.')
    await sees(page, 'You are signed in as Di (di@example.com)')
    await press(page, 'Claim Flaky')
    await at(page, '/account')
  })

  person('no answer and an answer of somebody else are told in words', async page => {
    await page.goto('/login')
    await fill(page, { 'E-mail': 'ada@example.com', Password: PASSWORD })
    await context.setOffline(true)
    await press(page, 'Sign in')
    await sees(page, 'The server did not answer. Check your connection and try again.')
    await context.setOffline(false)
    await page.route('**/auth/login', route => route.fulfill({ status: 502, contentType: 'text/html', body: '<html>Bad gateway</html>' }))
    await press(page, 'Sign in')
    await sees(page, 'The server did not answer. Check your connection and try again.')
    await page.unroute('**/auth/login')
    await page.goto('/signup')
    await fill(page, { 'Your name': 'Ada', 'E-mail': 'ada@example.com', Password: PASSWORD })
    await press(page, 'Create the account')
    await sees(page, 'There is an account with this e-mail already.')
  })

  person('the identity provider\'s answer signs in and leaves the address bar; a refusal says so', async page => {
    const { token, refreshToken } = await registerHuman(service)
    await page.goto('/auth/done#error=the+sign-in+was+cancelled')
    await heading(page, 'You are not signed in')
    await sees(page, 'The sign-in was cancelled.')
    assert.ok(!page.url().includes('#'))
    await page.goto('about:blank')
    await page.goto(`/auth/done#accessToken=${token}&refreshToken=${refreshToken}&expiresIn=900`)
    await at(page, '/account')
    await page.goto('about:blank')
    const someone = await withSecondFactor()
    const { body } = await service.http<{ mfaToken: string }>('POST', '/auth/login', { body: { email: someone.email, password: PASSWORD } })
    await page.goto(`/auth/done#mfaRequired=true&mfaToken=${body.mfaToken}`)
    await heading(page, 'Your second factor')
  })

  person('two tabs are one session: both go on when the access token has run out, and both end', async page => {
    await signIn(page, await registerHuman(service))
    await at(page, '/account')
    await heading(page, 'Test Person')
    const other = await context.newPage()
    await other.goto('/account')
    await heading(other, 'Test Person')
    // As if a quarter of an hour had passed in both.
    const age = (tab: Page) => tab.evaluate(`sessionStorage.setItem('svc.session', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('svc.session')), accessToken: 'gone', until: 0 }))`)
    await age(page)
    await age(other)
    await Promise.all([press(page, 'Add 100.00 with the test card'), press(other, 'Add 100.00 with the test card')])
    await Promise.all([sees(page, 'USD added.'), sees(other, 'USD added.')])
    await press(other, 'Sign out')
    await at(page, '/login')
  })

  person('without JavaScript nothing leaves the page', async page => {
    const sent: string[] = []
    page.on('request', request => { if (!request.url().includes('/assets/')) sent.push(`${request.method()} ${new URL(request.url()).pathname}`) })
    await page.goto('/login')
    await fill(page, { 'E-mail': 'ada@example.com', Password: PASSWORD })
    await page.getByLabel('Password').press('Enter')
    await sees(page, 'This page needs JavaScript')
    assert.equal(page.url(), `${service.baseUrl}/login`)
    assert.deepEqual(sent, ['GET /login'])
  }, { javaScriptEnabled: false })
})

test('the link that the terminal shows makes the admin, who is signed in then', async () => {
  const service = await startTestService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' })
  const { browser, close } = await startBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(await firstAdminLink(service.services) ?? '')
    await page.getByLabel('Your name').fill('Root')
    await page.getByLabel('E-mail').fill('root@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create the admin account' }).click()
    await page.waitForURL(`${service.baseUrl}/account`, WAIT)
    await page.getByText('root@example.com · Admin').waitFor(WAIT)
    await page.getByText('You are the admin of this server.').waitFor(WAIT)
  } finally {
    await close()
    await service.close()
  }
})
