import assert from 'node:assert/strict'
import process from 'node:process'
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

  test('takes about as long for a text of many short words as for one word', async () => {
    const timeOf = async (text: string) => {
      const before = process.threadCpuUsage()
      const { status } = await service.http('GET', `/docs/search.json?q=${encodeURIComponent(text)}`)
      assert.equal(status, 200)
      return process.threadCpuUsage(before).user
    }
    await timeOf('escrow')
    const usual = Math.max(await timeOf('escrow'), 10_000)
    const pairs = Array.from('abcdefghijklmnop', letter => `${letter}e ${letter}o`).join(' ')
    for (const text of ['a '.repeat(100), 'a e i o s t '.repeat(16), pairs.repeat(2)]) {
      const taken = await timeOf(text)
      assert.ok(taken < 15 * usual, `${text.slice(0, 12)}: ${taken} us, one word ${usual} us`)
    }
  })

  test('finds a page by the beginning of a word', async () => {
    const { body } = await service.http<{ items: unknown[] }>('GET', '/docs/search.json?q=es')
    assert.ok(body.items.length)
  })

  test('refuses a text that is too long', async () => {
    const q = 'a'.repeat(5000)
    for (const path of ['/docs/search', '/docs/search.json']) {
      const { status, text } = await service.http('GET', `${path}?q=${q}`)
      assert.equal(status, 400, text)
    }
  })
})
