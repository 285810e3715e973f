import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startBrowser, sharedService, type TestBrowser, type TestService } from '#test'

/** The reference page as a browser shows it. */
suite('the reference page', () => {
  let service: TestService
  let browser: TestBrowser
  before(async () => {
    service = await sharedService()
    browser = await startBrowser()
  })
  after(async () => {
    await browser.close()
    await service.close()
  })

  test('opens with the quick start, lists the tags, and logs no error', async () => {
    const context = await browser.browser.newContext()
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', message => {
      if (message.type() === 'error') errors.push(message.text())
    })
    page.on('pageerror', error => errors.push(String(error)))
    await page.goto(`${service.baseUrl}/docs`)
    await page.locator('.opblock-tag').first().waitFor()
    assert.match(await page.locator('.information-container').innerText(), /Quick start/)
    assert.match(await page.locator('.opblock-tag').first().innerText(), /^Authentication/)
    assert.ok(await page.locator('.operation-filter-input').isVisible())
    await page.locator('.btn.authorize').first().click()
    assert.match(await page.locator('.dialog-ux .auth-container h4').first().innerText(), /accessToken/)
    await page.goto(`${service.baseUrl}/docs#/Agents/createAgent`)
    await page.reload()
    await page.locator('#operations-Agents-createAgent .opblock-body').waitFor()
    assert.deepEqual(errors, [])
    await context.close()
  })

  test('links to the API conventions', async () => {
    const { status, text, headers } = await service.http('GET', '/docs/api.md')
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8'])
    assert.match(text, /^# API conventions/)
  })
})
