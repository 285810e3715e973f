import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { registerHuman, visitorOn, type Visitor } from '#test'
import { atConsole, openSite, PASSWORD, signedInAs, signIn } from './site.ts'

/**
 * As if a quarter of an hour had passed in all tabs: the access token is gone, the refresh token is not. The tab is left
 * before, for a page that runs no script: else its page could renew the session before the test expects it.
 */
async function loseAccessToken({ page, context }: Visitor): Promise<void> {
  await page.goto('/healthz')
  await context.clearCookies({ name: 'svc_access' })
}

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
      await sees('The server cannot be reached.')
      await context.setOffline(false)
      await page.route('**/auth/login', route =>
        route.fulfill({ status: 502, contentType: 'text/html', body: '<html>Bad gateway</html>' }),
      )
      await press('Sign in')
      await sees('The server is busy.')
      await page.unroute('**/auth/login')
      await page.goto('/signup')
      await fill({ 'Your name': 'Ada', Email: email, Password: PASSWORD })
      await press('Create the account')
      await sees('An account with this email address already exists.')
    },
  )

  site.journey('two tabs share a session: both renew it and both end with it', async visitor => {
    const { page, context, press, at } = visitor
    const { email } = await registerHuman(site.service)
    await signIn(visitor, { email })
    await atConsole(page)
    const other = visitorOn(await context.newPage(), site.service.baseUrl)
    await loseAccessToken(visitor)
    await Promise.all([page.goto('/app'), other.page.goto('/app/agents')])
    for (const tab of [page, other.page]) await tab.getByRole('button', { name: 'Your account' }).waitFor()
    assert.equal(await signedInAs(visitor), email)
    await press('Your account')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await at('/')
    // The other tab reloads by itself.
    await other.page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
    assert.equal(await signedInAs(visitor), null)
  })

  site.journey('waits for the cookies of a page that used the token and was left', async visitor => {
    const { page, context } = visitor
    const { baseUrl } = site.service
    const { email } = await registerHuman(site.service)
    await signIn(visitor, { email })
    await atConsole(page)
    await loseAccessToken(visitor)
    await page.route(
      '**/auth/refresh',
      async route => {
        const cookies = await context.cookies()
        const first = await fetch(`${baseUrl}/auth/refresh`, {
          method: 'POST',
          headers: {
            'x-svc-session': 'cookie',
            'content-type': 'application/json',
            origin: baseUrl,
            cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
          },
          body: '{}',
        })
        assert.equal(first.status, 200, await first.text())
        await route.continue()
        await sleep(700)
        const given = first.headers.getSetCookie().map(each => /^([^=]+)=([^;]*)/.exec(each) ?? [])
        await context.addCookies(given.map(([, name = '', value = '']) => ({ name, value, url: baseUrl })))
      },
      { times: 1 },
    )
    const answerOf = (path: string, status: number) =>
      page.waitForResponse(response => response.url().endsWith(path) && response.status() === status)
    const [refused, read] = [answerOf('/auth/refresh', 401), answerOf('/users/me', 200)]
    await page.goto('/app')
    await Promise.all([refused, read])
    await page.getByRole('button', { name: 'Your account' }).waitFor()
    assert.equal(await signedInAs(visitor), email)
  })

  site.journey('repeats a renewal whose response was lost', async visitor => {
    const { page } = visitor
    const { email } = await registerHuman(site.service)
    await signIn(visitor, { email })
    await atConsole(page)
    await loseAccessToken(visitor)
    const used = Promise.withResolvers<number>()
    await page.route(
      '**/auth/refresh',
      async route => {
        const headers = { ...(await route.request().allHeaders()), origin: site.service.baseUrl }
        const { status } = await fetch(route.request().url(), { method: 'POST', headers, body: '{}' })
        used.resolve(status)
        await route.abort()
      },
      { times: 1 },
    )
    await page.goto('/app')
    assert.equal(await used.promise, 200)
    const read = page.waitForResponse(response => response.url().endsWith('/users/me') && response.ok())
    await page.reload()
    await read
    await page.getByRole('button', { name: 'Your account' }).waitFor()
    assert.equal(await signedInAs(visitor), email)
  })

  site.journey(
    'without JavaScript nothing leaves the page',
    async ({ page }) => {
      const sent: string[] = []
      page.on('request', request => {
        if (!/\/assets\/|favicon/.test(request.url()))
          sent.push(`${request.method()} ${new URL(request.url()).pathname}`)
      })
      await page.goto('/login')
      assert.match(await page.locator('noscript').innerText(), /needs JavaScript/)
      assert.equal(await page.locator('form, input').count(), 0)
      assert.deepEqual(sent, ['GET /login'])
    },
    { javaScriptEnabled: false },
  )
})
