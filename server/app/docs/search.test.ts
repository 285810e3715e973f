import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sharedService, type TestService } from '#test'

suite('the search of the documentation', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  test('finds a page by a word, as HTML and as JSON', async () => {
    const found = await service.http('GET', '/docs/search.json?q=escrow')
    assert.equal(found.status, 200, found.text)
    assert.match(found.text, /\/docs\//)
    const page = await service.http('GET', '/docs/search?q=escrow')
    assert.equal(page.status, 200)
    assert.match(page.text, /href="\/docs\//)
  })

  test('names an operation before the history of the project', async () => {
    for (const title of ['Open a dispute', 'Fund a wallet']) {
      const path = `/docs/search.json?q=${encodeURIComponent(title.toLowerCase())}`
      const { body } = await service.http<{ items: { title: string; url: string }[] }>('GET', path)
      assert.equal(body.items[0]?.title, title)
    }
    const { body } = await service.http<{ items: { url: string }[] }>('GET', '/docs/search.json?q=unreleased')
    assert.ok(body.items.some(({ url }) => url.startsWith('/docs/changelog')))
  })

  test('refuses a text that is too long', async () => {
    const q = 'a'.repeat(5000)
    for (const path of ['/docs/search', '/docs/search.json']) {
      const { status, text } = await service.http('GET', `${path}?q=${q}`)
      assert.equal(status, 400, text)
    }
  })
})
