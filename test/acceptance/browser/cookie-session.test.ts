import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startBrowser, startTestService, visit, type TestBrowser, type TestService } from '#test'

interface Sent {
  method: string
  headers: Record<string, string>
  body: string
}

/** The headers that Chromium itself sends decide here; test/acceptance/cookie-session.test.ts tries each combination. */
suite('a session in cookies, in a browser', () => {
  let service: TestService
  let browser: TestBrowser
  let elsewhere: string
  const foreign = createServer((_, answer) =>
    answer.setHeader('content-type', 'text/html').end('<h1>Elsewhere</h1>'),
  )
  before(async () => {
    service = await startTestService({ CORS_ORIGINS: '*' })
    browser = await startBrowser()
    await new Promise<void>(resolve => {
      foreign.listen(0, '127.0.0.1', resolve)
    })
    elsewhere = `:${(foreign.address() as AddressInfo).port}/`
  })
  after(async () => {
    await browser.close()
    foreign.close()
    await service.close()
  })

  /** The status of a request that a script of the page sends. */
  const statusOf = (page: Page, path: string, init: Partial<Sent> = {}) =>
    page.evaluate(
      async ([url, options]) => (await fetch(url, { credentials: 'include', ...options })).status,
      [service.baseUrl + path, init] as const,
    )
  const json = (method: string, body: object, headers: Record<string, string> = {}): Sent => ({
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const register = (page: Page) =>
    statusOf(
      page,
      '/auth/register',
      json(
        'POST',
        { email: 'ada@example.com', displayName: 'Ada', password: 'correct horse battery staple' },
        { 'x-svc-session': 'cookie' },
      ),
    )

  test('works for pages of the service, and for no other page that CORS allows', async () => {
    await visit(service, browser, async ({ page, context }) => {
      // A page that does not go on when somebody has signed in.
      await page.goto('/app/no-such-page')
      assert.equal(await register(page), 201)
      assert.equal(await page.evaluate<string>('document.cookie'), 'svc_signed_in=1')
      assert.equal(await statusOf(page, '/users/me'), 200)
      assert.equal(await statusOf(page, '/users/me', json('PATCH', { displayName: 'Ada L' })), 200)
      const opened = await page.evaluate(
        () =>
          new Promise<string>(resolve => {
            const events = new EventSource('/users/me/events')
            events.addEventListener('open', () => resolve('open'))
            events.addEventListener('error', () => resolve('error'))
          }),
      )
      assert.equal(opened, 'open')
      const other = await context.newPage()
      // Another site, and another port of the same one.
      for (const host of ['localhost', '127.0.0.1']) {
        await other.goto(`http://${host}${elsewhere}`)
        assert.equal(await statusOf(other, '/agents'), 200)
        assert.equal(await statusOf(other, '/users/me'), 401)
        assert.equal(await statusOf(other, '/users/me', json('PATCH', { displayName: 'Eve' })), 401)
      }
      await page.reload()
      assert.equal(await statusOf(page, '/users/me'), 200)
    })
  })
})
