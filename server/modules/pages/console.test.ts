import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { readConfig } from '#platform/kernel/config'
import { startTestService, type TestService } from '#test'

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(500))})`
const PAGE = `<!doctype html><title>__SITE_NAME__</title><meta name="csp-nonce" content="__NONCE__" />
<script type="application/json" id="page-data">__PAGE_DATA__</script>
<script type="module" src="/assets/index-3f9a.js"></script>`
const NAME = '</script><b>__NONCE__ & "$&"'

interface PageData {
  site: Record<string, unknown>
  link: unknown
}
const dataOf = (text: string): PageData =>
  JSON.parse(/id="page-data">([^<]*)<\/script>/.exec(text)?.[1] ?? '') as PageData

async function build(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-web-'))
  const assets = join(folder, 'assets')
  await mkdir(assets)
  await writeFile(join(folder, 'index.html'), PAGE)
  await writeFile(join(folder, 'secret.js'), 'outside of the assets')
  await writeFile(join(assets, 'index-3f9a.js'), SCRIPT)
  await writeFile(join(assets, 'index-3f9a.js.br'), brotliCompressSync(SCRIPT))
  await writeFile(join(assets, 'index-3f9a.js.gz'), gzipSync(SCRIPT))
  for (const name of [
    'style-1.css',
    'mark-2.svg',
    'font-3.woff2',
    'photo-4.png',
    'texts-5.json',
    'notes.txt',
  ])
    await writeFile(join(assets, name), name)
  return folder
}

suite('the web console', () => {
  let folder: string
  let service: TestService
  before(async () => {
    folder = await build()
    service = await startTestService({
      WEB_DIST: folder,
      SITE_NAME: NAME,
      SITE_LOGO_URL: 'https://cdn.example/logo.svg',
    })
  })
  after(async () => {
    await service.close()
    await rm(folder, { recursive: true })
  })

  /** With the bytes as they were sent: fetch would decompress them, and normalize the path. */
  const raw = (path: string, acceptEncoding = '') =>
    new Promise<{ status?: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
      const { hostname, port } = new URL(service.baseUrl)
      const sent = request({ hostname, port, path, headers: { 'accept-encoding': acceptEncoding } })
      sent.on('error', reject).end()
      sent.on('response', answer => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(chunks) }),
        )
      })
    })

  test('serves the page at every path below /app, with data about the site', async () => {
    for (const path of ['/app', '/app/', '/app/deals/1/files', '/app/%3Cscript%3E?x=1']) {
      const { status, text, headers } = await service.http('GET', path)
      assert.equal(status, 200, path)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.deepEqual(dataOf(text), {
        site: {
          name: NAME,
          logoUrl: 'https://cdn.example/logo.svg',
          publicUrl: service.baseUrl,
          sandbox: true,
          provider: null,
          currency: 'USD',
        },
        link: null,
      })
      assert.ok(text.includes('<title>&lt;/script&gt;&lt;b&gt;__NONCE__ &amp; &quot;$&amp;&quot;</title>'))
    }
  })

  test('allows styles by a fresh nonce, and images of the logo host, in its policy', async () => {
    const [first, second] = [await service.http('GET', '/app'), await service.http('GET', '/app')]
    const nonceOf = ({ text }: { text: string }) => /csp-nonce" content="([^"]+)"/.exec(text)?.[1] ?? ''
    assert.match(nonceOf(first), /^[\w-]{24}$/)
    assert.notEqual(nonceOf(first), nonceOf(second))
    assert.deepEqual(first.headers.get('content-security-policy')?.split('; ').toSorted(), [
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data: blob: https://cdn.example",
      "manifest-src 'self'",
      "object-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonceOf(first)}'`,
    ])
  })

  test('serves each asset in the smallest form that the caller accepts', async () => {
    const path = '/assets/index-3f9a.js'
    const forms = [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
      ['', undefined, (bytes: Buffer) => bytes],
    ] as const
    for (const [accepted, coding, decompress] of forms) {
      const { status, headers, bytes } = await raw(path, accepted)
      assert.equal(status, 200)
      assert.equal(headers['content-encoding'], coding)
      assert.equal(headers.vary, 'accept-encoding')
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
      assert.equal(decompress(bytes).toString(), SCRIPT)
    }
    const types = {
      'style-1.css': 'text/css; charset=utf-8',
      'mark-2.svg': 'image/svg+xml',
      'font-3.woff2': 'font/woff2',
      'photo-4.png': 'image/png',
      'texts-5.json': 'application/json; charset=utf-8',
    }
    for (const [name, type] of Object.entries(types)) {
      const { headers, bytes } = await raw(`/assets/${name}`, 'br')
      assert.deepEqual([headers['content-type'], bytes.toString()], [type, name])
      assert.equal(headers['content-encoding'], undefined)
    }
  })

  test('serves nothing but the assets of the build', async () => {
    const paths = [
      'none.js',
      'notes.txt',
      'index-3f9a.js.br',
      '..%2fsecret.js',
      '../secret.js',
      '.',
      '%00.js',
    ]
    for (const name of paths) assert.equal((await raw(`/assets/${name}`)).status, 404, name)
    assert.equal((await raw('/assets/pages.css')).status, 200)
  })

  test('serves the files of a new build without a restart', async () => {
    await writeFile(join(folder, 'assets', 'late-6.js'), 'late')
    assert.equal((await raw('/assets/late-6.js')).bytes.toString(), 'late')
  })
})

test('without a build the console says how to build it, and all else works', async t => {
  const service = await startTestService({ WEB_DIST: '/nowhere' })
  t.after(() => service.close())
  const { status, text } = await service.http('GET', '/app')
  assert.equal(status, 503)
  assert.match(text, /npm run web/)
  assert.ok(service.logged.some(line => line.includes('the web console is not built')))
  assert.equal((await service.http('GET', '/agents')).status, 200)
  assert.equal((await service.http('GET', '/assets/index-3f9a.js')).status, 404)
})

test('with a front end of its own the service redirects the console there', async t => {
  const service = await startTestService({ FRONTEND_URL: 'https://front.example' })
  t.after(() => service.close())
  const { status, headers } = await service.http('GET', '/app/deals/a%20b?tab=1')
  assert.equal(status, 302)
  assert.equal(headers.get('location'), 'https://front.example/app/deals/a%20b?tab=1')
  assert.equal(
    service.logged.some(line => line.includes('console is not built')),
    false,
  )
})

test('the logo is a path or an https URL', () => {
  for (const wrong of ['logo.svg', 'http://cdn.example/logo.svg', '//cdn.example/logo.svg', 'javascript:1'])
    assert.throws(() => readConfig({ SITE_LOGO_URL: wrong }), /SITE_LOGO_URL must be a path/)
  assert.equal(readConfig({ SITE_LOGO_URL: '/logo.svg' }).SITE_LOGO_URL, '/logo.svg')
})
