import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { generateSync } from 'otplib'
import type { Page } from 'playwright-core'
import { firstAdminLink } from '#identity'
import { linkTo, registerHuman, startBrowser, startTestService, visit, visitorOn, type Person, type TestBrowser, type TestService, type Visitor } from '#test'

const PASSWORD = 'correct horse battery staple'

/** What a person does who knows nothing of HTTP, in the browser that npm brought. */
suite('journeys through the pages', () => {
  let service: TestService
  let chromium: TestBrowser
  before(async () => {
    service = await startTestService()
    chromium = await startBrowser()
  })
  after(async () => {
    await chromium.close()
    await service.close()
  })

  const person = (name: string, act: (visitor: Visitor) => Promise<void>, options?: object): void => {
    test(name, () => visit(service, chromium, act, options))
  }
  const signIn = async ({ page, fill, press }: Visitor, { email }: Person) => {
    await page.goto('/login')
    await fill({ 'Email': email, Password: PASSWORD })
    await press('Sign in')
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

  person('from the home page to an account with money, and out again', async ({ page, fill, press, at, sees, heading }) => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Create an account' }).click()
    await fill({ 'Your name': 'Ada', 'Email': 'ada@example.com', Password: PASSWORD })
    await press('Create the account')
    await at('/account')
    await heading('Ada')
    await sees('Welcome. We have sent you an email to confirm your address.')
    await press('Add 100.00 with the test card')
    await sees('100.00 USD added.')
    assert.equal(await page.locator('[data-available]').textContent(), '100.00')
    await page.reload()
    await heading('Ada')
    const token = await page.getByLabel('Access token').inputValue()
    assert.equal((await service.http<{ email: string }>('GET', '/users/me', { token })).body.email, 'ada@example.com')
    await press('Sign out')
    await at('/')
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    assert.equal((await service.http('GET', '/users/me', { token })).status, 401)
    await page.goto('/account')
    await at('/login')
  })

  person('the mail in the sandbox mailbox confirms the address, in the tab that it opens', async ({ page, context, fill, press, at }) => {
    await page.goto('/signup')
    await fill({ 'Your name': 'Bo', 'Email': 'bo@example.com', Password: PASSWORD })
    await press('Create the account')
    await at('/account')
    await linkTo(service, 'bo@example.com', 'verify')
    await page.goto('/sandbox/mail?to=bo@example.com')
    const opened = context.waitForEvent('page')
    await page.frameLocator('iframe').first().getByRole('link', { name: 'Confirm the address' }).click()
    const inTab = visitorOn(await opened, service.baseUrl)
    await inTab.heading('Confirm your email address')
    await inTab.press('Yes, confirm it')
    await inTab.at('/account')
    await inTab.sees('Your email address is confirmed.')
  })

  person('a link to confirm that opens where nobody is signed in works too', async ({ page, press, at, sees }) => {
    const { email } = await registerHuman(service)
    await page.goto(`/verify/${await linkTo(service, email, 'verify')}`)
    await press('Yes, confirm it')
    await sees('Your email address is confirmed.')
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
    await at('/login')
  })

  person('a link by mail signs in; going back and opening it again do no harm', async ({ page, fill, press, at, sees, heading }) => {
    const { email } = await registerHuman(service)
    await page.goto('/login')
    await fill({ 'Email': email })
    await press('Email me a sign-in link')
    await sees('If an account with this address exists')
    const path = `/login/${await linkTo(service, email, 'login')}`
    await page.getByRole('link', { name: 'Open the sandbox mailbox' }).click()
    await page.goto(path)
    await sees(email)
    await press('Sign in')
    await at('/account')
    await page.goBack()
    assert.ok(!page.url().includes(path))
    await page.goto(path)
    await heading('This link no longer works')
    await page.getByRole('link', { name: 'Go to your account' }).click()
    await at('/account')
  })

  person('a link by mail spares the password in the browser that opened the account, and says elsewhere that it will not', async ({ page, fill, press, at }) => {
    const [email, endpoint] = ['eve@example.com', '/auth/magic-link/request']
    await page.goto('/signup')
    await fill({ 'Your name': 'Eve', 'Email': email, Password: PASSWORD })
    await press('Create the account')
    await at('/account')
    await service.http('POST', endpoint, { body: { email } })
    const path = `/login/${await linkTo(service, email, 'login')}`
    await visit(service, chromium, async elsewhere => {
      await elsewhere.page.goto(path)
      await elsewhere.sees('This address has not been confirmed before.')
    })
    await page.goto(path)
    await page.getByText('This address has not been confirmed before.').waitFor({ state: 'hidden' })
    await press('Sign in')
    await at('/account')
    assert.equal((await service.http('POST', '/auth/login', { body: { email, password: PASSWORD } })).status, 200)
  })

  person('a forgotten password is set anew by mail, and a dead link offers another one', async ({ page, fill, press, at, sees }) => {
    const someone = await registerHuman(service)
    await page.goto('/reset/long-dead')
    await fill({ 'Email': someone.email })
    await press('Email me another link')
    await sees('If an account with this address exists')
    await page.goto(`/reset/${await linkTo(service, someone.email, 'reset')}`)
    assert.equal(await page.getByLabel('Account', { exact: true }).inputValue(), someone.email)
    await fill({ 'New password': 'another horse battery' })
    await press('Save the password')
    await at('/account')
    await sees('Your new password is saved')
    assert.equal((await service.http('POST', '/auth/login', { body: { email: someone.email, password: 'another horse battery' } })).status, 200)
  })

  person('who has a second factor is asked for it; a wrong code, a reload and the way back do no harm', async visitor => {
    const { page, fill, press, at, sees, heading } = visitor
    const someone = await withSecondFactor()
    await signIn(visitor, someone)
    await heading('Two-factor authentication')
    await fill({ Code: '000000' })
    await press('Continue')
    await sees('This code is wrong')
    await page.reload()
    await fill({ Code: code(someone.secret) })
    await press('Continue')
    await at('/account')
    await heading('Test Person')
  })

  person('a reset with a second factor ends signed in, by a backup code too', async ({ page, fill, press, at, sees }) => {
    const someone = await withSecondFactor()
    await service.http('POST', '/auth/forgot-password', { body: { email: someone.email } })
    await page.goto(`/reset/${await linkTo(service, someone.email, 'reset')}`)
    await fill({ 'New password': 'another horse battery' })
    await press('Save the password')
    await at('/login')
    await sees('Your new password is saved')
    await press('Use a backup code')
    await fill({ 'Backup code': someone.backupCodes[0] ?? '' })
    await press('Continue')
    await at('/account')
  })

  person('a newcomer claims an agent, and publishes it', async ({ page, fill, press, at, sees, heading }) => {
    await page.goto(await claimLink('Scribe'))
    await heading('Claim Scribe')
    await fill({ 'Your name': 'Cleo', 'Email': 'cleo@example.com', Password: PASSWORD })
    await press('Create an account and claim')
    await at('/account')
    await sees('Scribe is yours.')
    await press('Publish Scribe')
    await sees('Scribe can be hired now.')
    await page.goto('/')
    await page.getByRole('heading', { name: 'Scribe' }).waitFor()
  })

  person('a claim by password and second factor goes on where it began', async ({ page, fill, press, at, sees }) => {
    const someone = await withSecondFactor()
    const path = await claimLink('Night Scribe')
    await page.goto(path)
    await page.getByText('I have an account').click()
    await fill({ 'Email': someone.email, Password: 'not my password' })
    await press('Sign in and claim')
    await sees('Email or password is wrong.')
    await fill({ Password: PASSWORD })
    await press('Sign in and claim')
    await fill({ Code: code(someone.secret) })
    await press('Continue')
    await at(path)
    await press('Claim Night Scribe')
    await at('/account')
    await sees('Night Scribe is yours.')
  })

  person('a claim that fails after the sign-in is repeated alone', async ({ page, fill, press, at, sees }) => {
    const path = await claimLink('Flaky')
    await page.goto(path)
    await page.route('**/agents/claim/**', route => route.abort(), { times: 1 })
    await fill({ 'Your name': 'Di', 'Email': 'di@example.com', Password: PASSWORD })
    await press('Create an account and claim')
    await sees('The server did not answer.')
    await sees('You are signed in as Di (di@example.com)')
    await press('Claim Flaky')
    await at('/account')
  })

  person('no answer and an answer of somebody else are told in words', async ({ page, context, fill, press, sees }) => {
    await page.goto('/login')
    await fill({ 'Email': 'ada@example.com', Password: PASSWORD })
    await context.setOffline(true)
    await press('Sign in')
    await sees('The server did not answer. Check your connection and try again.')
    await context.setOffline(false)
    await page.route('**/auth/login', route => route.fulfill({ status: 502, contentType: 'text/html', body: '<html>Bad gateway</html>' }))
    await press('Sign in')
    await sees('The server did not answer. Check your connection and try again.')
    await page.unroute('**/auth/login')
    await page.goto('/signup')
    await fill({ 'Your name': 'Ada', 'Email': 'ada@example.com', Password: PASSWORD })
    await press('Create the account')
    await sees('An account with this email address already exists.')
  })

  person('two tabs are one session: both go on when the access token has run out, and both end', async visitor => {
    const { page, context, press, at, sees, heading } = visitor
    await signIn(visitor, await registerHuman(service))
    await at('/account')
    await heading('Test Person')
    const other = visitorOn(await context.newPage(), service.baseUrl)
    await other.page.goto('/account')
    await other.heading('Test Person')
    // As if a quarter of an hour had passed in both.
    const age = (tab: Page) => tab.evaluate(`sessionStorage.setItem('svc.session', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('svc.session')), accessToken: 'gone', until: 0 }))`)
    await age(page)
    await age(other.page)
    await Promise.all([press('Add 100.00 with the test card'), other.press('Add 100.00 with the test card')])
    await Promise.all([sees('USD added.'), other.sees('USD added.')])
    await other.press('Sign out')
    await at('/login')
  })

  person('without JavaScript nothing leaves the page', async ({ page, fill, sees }) => {
    const sent: string[] = []
    page.on('request', request => { if (!request.url().includes('/assets/')) sent.push(`${request.method()} ${new URL(request.url()).pathname}`) })
    await page.goto('/login')
    await fill({ 'Email': 'ada@example.com', Password: PASSWORD })
    await page.getByLabel('Password').press('Enter')
    await sees('This page needs JavaScript')
    assert.equal(page.url(), `${service.baseUrl}/login`)
    assert.deepEqual(sent, ['GET /login'])
  }, { javaScriptEnabled: false })
})

test('the link that the terminal shows makes the admin, who is signed in then', async () => {
  const service = await startTestService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' })
  const chromium = await startBrowser()
  try {
    await visit(service, chromium, async ({ page, fill, press, at, sees }) => {
      await page.goto(await firstAdminLink(service.services) ?? '')
      await fill({ 'Your name': 'Root', 'Email': 'root@example.com', Password: PASSWORD })
      await press('Create the admin account')
      await at('/account')
      await sees('root@example.com · Admin')
      await sees('You are the admin of this server.')
    })
  } finally {
    await chromium.close()
    await service.close()
  }
})
