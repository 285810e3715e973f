import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertAccessible } from './support/checks.ts'
import { openConsole, PASSWORD } from './support/console.ts'

/** The documentation as a browser and a program read it. */
suite('the documentation', () => {
  const docs = openConsole()
  const read = (path: string) => docs.service.http('GET', path)

  test('every link leads to a page or a section that exists', async () => {
    const pages = new Map<string, string>()
    const waiting = ['/docs']
    const links: [from: string, to: string][] = []
    for (let path = waiting.pop(); path; path = waiting.pop()) {
      if (pages.has(path)) continue
      const { status, text, headers } = await read(path)
      assert.equal(status, 200, path)
      pages.set(path, text)
      if (!headers.get('content-type')?.startsWith('text/html') || !path.startsWith('/docs')) continue
      const found = [...text.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href)
      for (const href of found) {
        if (/^(?:https?|mailto):/.test(href)) continue
        const { pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `http://svc${path}`)
        links.push([path, pathname + hash])
        if (!pathname.endsWith('.md')) waiting.push(pathname)
      }
    }
    assert.ok(pages.size > 70, `${pages.size} pages`)
    const missing = links.filter(([, to]) => {
      const [path = '', id] = to.split('#')
      return id && path.startsWith('/docs') && !pages.get(path)?.includes(` id="${decodeURIComponent(id)}"`)
    })
    assert.deepEqual(missing, [])
    const texts = links.map(([, to]) => to).filter(to => to.endsWith('.md'))
    const paths = texts.map(to => to.slice(0, -'.md'.length).replace(/\/index$/, ''))
    assert.deepEqual(
      paths.filter(path => !pages.has(path)),
      [],
      'Markdown of no page',
    )
  })

  test('each page is also Markdown, and all of them are one text', async () => {
    const { text } = await read('/docs/reference/agents.md')
    assert.match(text, /^# Agents\n/)
    assert.match(text, /^## Create an agent with its wallet and key\n\n`POST \/agents`$/m)
    assert.match((await read('/docs/index.md')).text, /^# Start\n/)
    assert.match((await read('/docs/api.md')).text, /^# API conventions/)
    assert.match((await read('/docs/payments.md')).text, /^SETUP=\$\(api POST \/payouts\/user\/setup/m)
    const all = (await read('/llms-full.txt')).text
    for (const part of ['# Sell work', '# API conventions', '# Changelog', '`POST /ap2/negotiate`'])
      assert.ok(all.includes(`\n${part}\n`), part)
    assert.doesNotMatch(all, /^<!-- include|\{#\w+\}$/m)
  })

  test('is compressed, 304 for a known ETag, and 404 for other pages', async () => {
    for (const path of ['', '/sellers', '/reference/trust']) {
      const { status, headers } = await read(`/docs${path}`)
      assert.equal(status, 200, path)
      const known = { 'if-none-match': headers.get('etag') ?? '' }
      assert.equal((await docs.service.http('GET', `/docs${path}`, { headers: known })).status, 304, path)
    }
    const etag = (await read('/llms-full.txt')).headers.get('etag') ?? ''
    const again = await docs.service.http('GET', '/llms-full.txt', { headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
    assert.equal((await read('/docs/nothing')).status, 404)
    assert.equal((await read('/docs/adr/0000-nothing')).status, 404)
    assert.equal((await read('/docs/yaml')).headers.get('location'), '/openapi.yaml')
  })

  docs.play(
    'works without scripts: all languages, menu and search',
    async ({ page, open, sees }) => {
      await open('/docs')
      await sees('Python')
      assert.ok(await page.locator('.sample[data-language=sh]').first().isVisible())
      await page.getByRole('searchbox').fill('release an escrow')
      await page.getByRole('searchbox').press('Enter')
      await sees('results for')
      await page.getByRole('link', { name: 'Release an escrow' }).first().click()
      await page.waitForURL(/\/docs\/reference\//)
    },
    { javaScriptEnabled: false },
  )

  docs.play('finds operations as a person types, and shows the chosen language', async ({ page, open }) => {
    await open('/docs/reference/agents')
    await page.keyboard.press('/')
    await page.keyboard.type('open a dispute')
    // Before it come the results for the first letters, on a machine that is slower than the keys.
    await page.locator('.found li:first-child a', { hasText: 'Open a dispute' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#/)
    await page.getByRole('tab', { name: 'Python' }).first().click()
    await page.goto('/docs')
    const shown = page.locator('.sample:visible')
    assert.equal(await shown.first().getAttribute('data-language'), 'python')
    await page.getByRole('tab', { name: 'Python' }).first().press('ArrowLeft')
    assert.equal(await shown.first().getAttribute('data-language'), 'ts')
  })

  docs.play('puts a key of the caller into the examples after a step-up', async visitor => {
    const { page, open, press, fill, sees } = visitor
    await open('/docs/prompts')
    await sees('Sign in')
    const person = await docs.newcomer(visitor)
    await docs.service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '6 minutes', proved_at = null where account_id = $1`,
      [person.id],
    )
    await open('/docs')
    await press('Create a key for these examples')
    await fill({ Password: PASSWORD })
    await press('Confirm')
    await sees('The examples contain your key')
    const key = await page.locator('[data-key=sk]').first().innerText()
    assert.match(key, /^sk_\w{8,}/)
    assert.equal((await docs.service.http('GET', '/agents/my-agents', { token: key })).status, 200)
    await open('/docs/reference/agents')
    assert.equal(await page.locator('[data-key=sk]').first().innerText(), key)
    await open('/docs/prompts')
    await press('Create a key for these examples')
    await sees('The examples contain your key')
    assert.match(await page.locator('[data-key=rk]').first().innerText(), /^rk_\w{8,}/)
    await press('Take it out')
    assert.equal(await page.locator('[data-key=rk]').first().innerText(), 'rk_YOUR_KEY')
  })

  for (const path of ['/docs', '/docs/payments', '/docs/reference/trust', '/docs/search?q=escrow'])
    docs.play(`${path} has no violation of axe in any size and color`, async ({ page, open }) => {
      await open(path)
      await assertAccessible(page)
      await page.setViewportSize({ width: 320, height: 640 })
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    })
})
