import assert from 'node:assert/strict'
import { suite } from 'node:test'
import type { Page } from 'playwright-core'
import { registerHuman, visitorOn } from '#test'
import { openSite, PASSWORD, signIn } from './site.ts'

/** What people see whose connection, session or browser does less than the pages need. */
suite('sessions in the browser', () => {
  const site = openSite()

  site.journey(
    'explains a missing answer and an answer for another account',
    async ({ page, context, fill, press, sees }) => {
      const { email } = await registerHuman(site.service)
      await page.goto('/login')
      await fill({ Email: email, Password: PASSWORD })
      await context.setOffline(true)
      await press('Sign in')
      await sees('The server did not answer. Check your connection and try again.')
      await context.setOffline(false)
      await page.route('**/auth/login', route =>
        route.fulfill({ status: 502, contentType: 'text/html', body: '<html>Bad gateway</html>' }),
      )
      await press('Sign in')
      await sees('The server did not answer. Check your connection and try again.')
      await page.unroute('**/auth/login')
      await page.goto('/signup')
      await fill({ 'Your name': 'Ada', Email: email, Password: PASSWORD })
      await press('Create the account')
      await sees('An account with this email address already exists.')
    },
  )

  site.journey('two tabs share a session: both refresh it and both end with it', async visitor => {
    const { page, context, press, at, sees, heading } = visitor
    await signIn(visitor, await registerHuman(site.service))
    await at('/account')
    await heading('Test Person')
    const other = visitorOn(await context.newPage(), site.service.baseUrl)
    await other.page.goto('/account')
    await other.heading('Test Person')
    // As if a quarter of an hour had passed in both.
    const age = (tab: Page) =>
      tab.evaluate(
        `sessionStorage.setItem('svc.session', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('svc.session')), accessToken: 'gone', until: 0 }))`,
      )
    await age(page)
    await age(other.page)
    await Promise.all([press('Add 100.00 with the test card'), other.press('Add 100.00 with the test card')])
    await Promise.all([sees('USD added.'), other.sees('USD added.')])
    await other.press('Sign out')
    await at('/login')
  })

  site.journey(
    'without JavaScript nothing leaves the page',
    async ({ page, fill, sees }) => {
      const sent: string[] = []
      page.on('request', request => {
        if (!request.url().includes('/assets/'))
          sent.push(`${request.method()} ${new URL(request.url()).pathname}`)
      })
      await page.goto('/login')
      await fill({ Email: 'ada@example.com', Password: PASSWORD })
      await page.getByLabel('Password').press('Enter')
      await sees('This page needs JavaScript')
      assert.equal(page.url(), `${site.service.baseUrl}/login`)
      assert.deepEqual(sent, ['GET /login'])
    },
    { javaScriptEnabled: false },
  )
})
