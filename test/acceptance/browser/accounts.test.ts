import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { firstAdminLink } from '#identity'
import { linkTo, registerHuman, startBrowser, startTestService, visit, visitorOn } from '#test'
import { openSite, PASSWORD, registerWithSecondFactor, signIn, totpCode } from './site.ts'

/** What people do who open an account and come back to it by mail, in the browser that npm brought. */
suite('journeys to an account', () => {
  const site = openSite()

  site.journey(
    'from the home page to an account with money, and out again',
    async ({ page, fill, press, at, sees, heading }) => {
      await page.goto('/')
      await page.getByRole('link', { name: 'Create an account' }).click()
      await fill({ 'Your name': 'Ada', Email: 'ada@example.com', Password: PASSWORD })
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
      assert.equal(
        (await site.service.http<{ email: string }>('GET', '/users/me', { token })).body.email,
        'ada@example.com',
      )
      await press('Sign out')
      await at('/')
      await page.getByRole('link', { name: 'Sign in' }).waitFor()
      assert.equal((await site.service.http('GET', '/users/me', { token })).status, 401)
      await page.goto('/account')
      await at('/login')
    },
  )

  site.journey(
    'the mail in the sandbox mailbox confirms the address, in the tab that it opens',
    async ({ page, context, fill, press, at }) => {
      await page.goto('/signup')
      await fill({ 'Your name': 'Bo', Email: 'bo@example.com', Password: PASSWORD })
      await press('Create the account')
      await at('/account')
      await linkTo(site.service, 'bo@example.com', 'verify')
      await page.goto('/sandbox/mail?to=bo@example.com')
      const opened = context.waitForEvent('page')
      await page.frameLocator('iframe').first().getByRole('link', { name: 'Confirm the address' }).click()
      const inTab = visitorOn(await opened, site.service.baseUrl)
      await inTab.heading('Confirm your email address')
      await inTab.press('Yes, confirm it')
      await inTab.at('/account')
      await inTab.sees('Your email address is confirmed.')
    },
  )

  site.journey(
    'a link to confirm that opens where nobody is signed in works too',
    async ({ page, press, at, sees }) => {
      const { email } = await registerHuman(site.service)
      await page.goto(`/verify/${await linkTo(site.service, email, 'verify')}`)
      await press('Yes, confirm it')
      await sees('Your email address is confirmed.')
      await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
      await at('/login')
    },
  )

  site.journey(
    'a link by mail signs in; going back and opening it again do no harm',
    async ({ page, fill, press, at, sees, heading }) => {
      const { email } = await registerHuman(site.service)
      await page.goto('/login')
      await fill({ Email: email })
      await press('Email me a sign-in link')
      await sees('If an account with this address exists')
      const path = `/login/${await linkTo(site.service, email, 'login')}`
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
    },
  )

  site.journey(
    'a link by mail signs in without the password only where the account was opened',
    async ({ page, fill, press, at }) => {
      const [email, endpoint] = ['eve@example.com', '/auth/magic-link/request']
      await page.goto('/signup')
      await fill({ 'Your name': 'Eve', Email: email, Password: PASSWORD })
      await press('Create the account')
      await at('/account')
      await site.service.http('POST', endpoint, { body: { email } })
      const path = `/login/${await linkTo(site.service, email, 'login')}`
      await site.visit(async elsewhere => {
        await elsewhere.page.goto(path)
        await elsewhere.sees('This address has not been confirmed before.')
      })
      await page.goto(path)
      await page.getByText('This address has not been confirmed before.').waitFor({ state: 'hidden' })
      await press('Sign in')
      await at('/account')
      assert.equal(
        (await site.service.http('POST', '/auth/login', { body: { email, password: PASSWORD } })).status,
        200,
      )
    },
  )

  site.journey(
    'a forgotten password is set anew by mail, and a dead link offers another one',
    async ({ page, fill, press, at, sees }) => {
      const someone = await registerHuman(site.service)
      await page.goto('/reset/long-dead')
      await fill({ Email: someone.email })
      await press('Email me another link')
      await sees('If an account with this address exists')
      await page.goto(`/reset/${await linkTo(site.service, someone.email, 'reset')}`)
      assert.equal(await page.getByLabel('Account', { exact: true }).inputValue(), someone.email)
      await fill({ 'New password': 'another horse battery' })
      await press('Save the password')
      await at('/account')
      await sees('Your new password is saved')
      assert.equal(
        (
          await site.service.http('POST', '/auth/login', {
            body: { email: someone.email, password: 'another horse battery' },
          })
        ).status,
        200,
      )
    },
  )

  site.journey('asks for the second factor, also after a wrong code and a reload', async visitor => {
    const { page, fill, press, at, sees, heading } = visitor
    const someone = await registerWithSecondFactor(site.service)
    await signIn(visitor, someone)
    await heading('Two-factor authentication')
    await fill({ Code: '000000' })
    await press('Continue')
    await sees('This code is wrong')
    await page.reload()
    await fill({ Code: totpCode(someone.secret) })
    await press('Continue')
    await at('/account')
    await heading('Test Person')
  })

  site.journey(
    'a reset with a second factor ends signed in, by a backup code too',
    async ({ page, fill, press, at, sees }) => {
      const someone = await registerWithSecondFactor(site.service)
      await site.service.http('POST', '/auth/forgot-password', { body: { email: someone.email } })
      await page.goto(`/reset/${await linkTo(site.service, someone.email, 'reset')}`)
      await fill({ 'New password': 'another horse battery' })
      await press('Save the password')
      await at('/login')
      await sees('Your new password is saved')
      await press('Use a backup code')
      await fill({ 'Backup code': someone.backupCodes[0] ?? '' })
      await press('Continue')
      await at('/account')
    },
  )
})

test('the link that the terminal shows makes the admin, who is signed in then', async () => {
  const service = await startTestService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' })
  const chromium = await startBrowser()
  try {
    await visit(service, chromium, async ({ page, fill, press, at, sees }) => {
      await page.goto((await firstAdminLink(service.services)) ?? '')
      await fill({ 'Your name': 'Root', Email: 'root@example.com', Password: PASSWORD })
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
