import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { firstAdminLink } from '#identity'
import { linkTo, registerHuman, startBrowser, startTestService, visit, visitorOn } from '#test'
import {
  assertNoTokenWithinReach,
  atConsole,
  openSite,
  PASSWORD,
  registerWithSecondFactor,
  signedInAs,
  signIn,
  totpCode,
} from './site.ts'

/** What people do who open an account and come back to it by mail, in the browser that npm brought. */
suite('journeys to an account', () => {
  const site = openSite()

  site.journey('from the home page to an account, and out again', async visitor => {
    const { page, fill, press, at, sees, heading } = visitor
    await page.goto('/')
    await page.getByRole('main').getByRole('link', { name: 'Create an account' }).click()
    await fill({ 'Your name': 'Ada', Email: 'ada@example.com', Password: PASSWORD })
    await press('Create the account')
    await heading('Welcome')
    await sees('We have sent a link to ada@example.com')
    await press('Continue')
    await atConsole(page)
    assert.equal(await signedInAs(visitor), 'ada@example.com')
    await assertNoTokenWithinReach(visitor)
    await page.goto('/')
    await atConsole(page)
    await press('Your account')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await at('/')
    assert.equal(await signedInAs(visitor), null)
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
  })

  site.journey(
    'the mail in the sandbox mailbox confirms the address, in the tab that it opens',
    async ({ page, context, fill, press, heading }) => {
      await page.goto('/signup')
      await fill({ 'Your name': 'Bo', Email: 'bo@example.com', Password: PASSWORD })
      await press('Create the account')
      await heading('Welcome')
      await linkTo(site.service, 'bo@example.com', 'verify')
      await page.getByRole('link', { name: 'Open the sandbox mailbox' }).click()
      const opened = context.waitForEvent('page')
      await page.frameLocator('iframe').first().getByRole('link', { name: 'Confirm the address' }).click()
      const inTab = visitorOn(await opened, site.service.baseUrl)
      await inTab.heading('Confirm your email address')
      await inTab.press('Yes, confirm it')
      await atConsole(inTab.page)
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
    'a link by mail signs in and goes on to the page that asked for it, and works once',
    async visitor => {
      const { page, fill, press, sees, heading } = visitor
      const { email } = await registerHuman(site.service)
      await page.goto('/login?next=%2Fapp%2Fagents%3Fsearch%3Dnotes')
      await fill({ Email: email })
      await press('Email me a sign-in link')
      await sees('If an account with this address exists')
      const token = await linkTo(site.service, email, 'login')
      await page.getByRole('link', { name: 'Open the sandbox mailbox' }).click()
      const link = page.frameLocator('iframe').first().getByRole('link', { name: 'Sign in' })
      const href = (await link.getAttribute('href')) ?? ''
      assert.ok(href.includes(`/login/${token}?next=`), href)
      await page.goto(href)
      await sees(email)
      assert.equal(await signedInAs(visitor), null)
      await press('Sign in')
      await page.waitForURL('**/app/agents?search=notes')
      assert.equal(await signedInAs(visitor), email)
      await assertNoTokenWithinReach(visitor)
      await page.goBack()
      assert.ok(!page.url().includes(token))
      await page.goto(href)
      await heading('This link no longer works')
      await page.getByRole('link', { name: 'Go to your account' }).click()
      await atConsole(page)
    },
  )

  site.journey(
    'a link by mail signs in without the password only where the account was opened',
    async ({ page, fill, press, heading }) => {
      const [email, endpoint] = ['eve@example.com', '/auth/magic-link/request']
      await page.goto('/signup')
      await fill({ 'Your name': 'Eve', Email: email, Password: PASSWORD })
      await press('Create the account')
      await heading('Welcome')
      await site.service.http('POST', endpoint, { body: { email } })
      const path = `/login/${await linkTo(site.service, email, 'login')}`
      await site.visit(async elsewhere => {
        await elsewhere.page.goto(path)
        await elsewhere.sees('This address has not been confirmed before.')
      })
      await page.goto(path)
      await page.getByRole('main').getByRole('button', { name: 'Sign in', disabled: false }).waitFor()
      assert.equal(await page.getByText('This address has not been confirmed before.').count(), 0)
      await press('Sign in')
      await atConsole(page)
      assert.equal(
        (await site.service.http('POST', '/auth/login', { body: { email, password: PASSWORD } })).status,
        200,
      )
    },
  )

  site.journey(
    'a forgotten password is set anew by mail, and a dead link offers another one',
    async ({ page, fill, press, sees }) => {
      const someone = await registerHuman(site.service)
      await page.goto('/reset/long-dead')
      await fill({ Email: someone.email })
      await press('Email me another link')
      await sees('If an account with this address exists')
      await page.goto(`/reset/${await linkTo(site.service, someone.email, 'reset')}`)
      assert.equal(await page.getByLabel('Account', { exact: true }).inputValue(), someone.email)
      await fill({ 'New password': 'another horse battery' })
      await press('Save the password')
      await atConsole(page)
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

  site.journey('asks for the second factor, also after a wrong code', async visitor => {
    const { page, fill, press, sees } = visitor
    const someone = await registerWithSecondFactor(site.service)
    await signIn(visitor, someone)
    await fill({ Code: '000000' })
    await press('Continue')
    await sees('This code is wrong')
    assert.equal(await signedInAs(visitor), null)
    await fill({ Code: totpCode(someone.secret) })
    await press('Continue')
    await atConsole(page)
    assert.equal(await signedInAs(visitor), someone.email)
    await assertNoTokenWithinReach(visitor)
  })

  site.journey('a reset with a second factor ends signed in, by a backup code too', async visitor => {
    const { page, fill, press, sees } = visitor
    const someone = await registerWithSecondFactor(site.service)
    await site.service.http('POST', '/auth/forgot-password', { body: { email: someone.email } })
    await page.goto(`/reset/${await linkTo(site.service, someone.email, 'reset')}`)
    await fill({ 'New password': 'another horse battery' })
    await press('Save the password')
    // Nobody confirmed the address: the password waits for the code.
    await press('Use a backup code')
    await fill({ 'Backup code': someone.backupCodes[0] ?? '' })
    await press('Continue')
    await atConsole(page)
    await sees('Your new password is saved')
    assert.equal(await signedInAs(visitor), someone.email)
  })
})

test('the link that the terminal shows makes the admin, who is signed in then', async () => {
  const service = await startTestService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' })
  const chromium = await startBrowser()
  try {
    await visit(service, chromium, async visitor => {
      const { page, fill, press, sees } = visitor
      await page.goto((await firstAdminLink(service.services)) ?? '')
      await fill({ 'Your name': 'Root', Email: 'root@example.com', Password: PASSWORD })
      await press('Create the admin account')
      await atConsole(page)
      await sees('You are the admin of this server.')
      assert.equal(await signedInAs(visitor), 'root@example.com')
    })
  } finally {
    await chromium.close()
    await service.close()
  }
})
