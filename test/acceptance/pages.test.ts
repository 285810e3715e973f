import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestService, type TestService } from '#test'

suite('the small pages', () => {
  let service: TestService
  before(async () => { service = await startTestService() })
  after(() => service.close())

  test('every page that a link opens is there, says what it is for, and loads nothing from elsewhere', async () => {
    for (const path of ['/', '/setup/token', '/claim/token', '/reset/token', '/verify/token', '/login/token', '/auth/done']) {
      const { status, text, headers } = await service.http('GET', path)
      assert.equal(status, 200, path)
      assert.match(headers.get('content-type') ?? '', /^text\/html/)
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
      assert.match(text, /<h1>/)
      assert.doesNotMatch(text, /(src|href)="(https?:)?\/\//)
    }
    assert.equal((await service.http('GET', '/assets/pages.css')).status, 200)
    assert.equal((await service.http('GET', '/assets/pages.js')).status, 200)
  })

  test('a token in the address is put into the page as text, never as markup', async () => {
    const { text } = await service.http('GET', `/reset/${encodeURIComponent('"><script>alert(1)</script>')}`)
    assert.doesNotMatch(text, /<script>alert/)
  })
})

test('with a front end of one\'s own, each page goes to the same path there', async () => {
  const service = await startTestService({ FRONTEND_URL: 'https://front.example' })
  try {
    const { status, headers } = await service.http('GET', '/claim/abc')
    assert.deepEqual([status, headers.get('location')], [302, 'https://front.example/claim/abc'])
  } finally {
    await service.close()
  }
})
