import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { chromiums, kill, listen, PNG, until } from '../../../../test/support/service/verifier-site.ts'
import type { VerifierOptions } from './options.ts'
import { createVerifier, type Verifier } from './verifier.ts'

const GOOD = '<!doctype html><title>Delivered</title><body><h1>Release notes</h1></body>'

/** Runs the same cases with the browser and with HTTP alone (a browser that cannot start). */
for (const kind of ['chromium', 'http'] as const) {
  suite(`the verifier by ${kind}`, () => {
    let site: Awaited<ReturnType<typeof listen>>
    let honeypot: Awaited<ReturnType<typeof listen>>
    let cacheDir: string
    let verifier: Verifier
    // Each has a browser of its own, so the tests share these.
    let hurried: Verifier
    let narrow: Verifier
    const slow: ServerResponse[] = []
    const verifiers: Verifier[] = []
    const make = (options: Partial<VerifierOptions> = {}) => {
      const made = createVerifier({
        cacheDir,
        allowPrivate: [`127.0.0.1:${site.port}`],
        log: () => undefined,
        chromiumPath: kind === 'http' ? '/nonexistent' : undefined,
        ...options,
      })
      verifiers.push(made)
      return made
    }
    const at = (path: string) => `http://127.0.0.1:${site.port}${path}`

    before(async () => {
      honeypot = await listen((_request, response) => response.end('secret'))
      const inside = `http://127.0.0.1:${honeypot.port}`
      const pages: Record<string, (response: ServerResponse) => void> = {
        '/ok': response => response.setHeader('content-type', 'text/html').end(GOOD),
        '/scripts': response =>
          response
            .setHeader('content-type', 'text/html; charset=utf-8')
            .end('<body>日本語 한국어 \u0e44\u0e17\u0e22 \u{1f680} é — done<pre>code</pre>'),
        '/unknown': response =>
          response.setHeader('content-type', 'text/html; charset=utf-8').end('<body>日\u{30000}</body>'),
        '/missing': response => response.writeHead(404).end('no'),
        '/broken': response => response.writeHead(500).end('no'),
        '/inside': response => response.writeHead(302, { location: `${inside}/redirected` }).end(),
        '/metadata': response => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
        '/file': response => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
        '/embeds': response =>
          response
            .setHeader('content-type', 'text/html')
            .end(
              `<title>x</title><img src="${inside}/img"><iframe src="${inside}/frame"></iframe><script>fetch('${inside}/fetch').catch(()=>0);new WebSocket('ws://127.0.0.1:${honeypot.port}/ws')</script>`,
            ),
        '/moves': response =>
          response
            .setHeader('content-type', 'text/html')
            .end(`<meta http-equiv="refresh" content="0;url=${inside}/refreshed">`),
        '/slow': response => void slow.push(response),
        '/lingers': response => response.setHeader('content-type', 'text/html').end('<img src="/slow">'),
        '/large': response =>
          response.setHeader('content-type', 'text/html').end('x'.repeat(6 * 1024 * 1024)),
        '/report.pdf': response => response.setHeader('content-type', 'application/pdf').end('%PDF-1.4'),
        '/picture': response => response.setHeader('content-type', 'image/png').end(PNG),
        '/data': response =>
          response.setHeader('content-type', 'application/json; charset=utf-8').end('{"version": 2}'),
        '/untyped': response => response.end('anything'),
        '/no-such-file': response => response.writeHead(404, { 'content-type': 'application/zip' }).end('PK'),
        '/huge.bin': response =>
          response.setHeader('content-type', 'application/octet-stream').end(Buffer.alloc(6 * 1024 * 1024)),
        '/download': response =>
          response
            .writeHead(200, {
              'content-type': 'application/zip',
              'content-disposition': 'attachment; filename=a.zip',
            })
            .end('PK'),
      }
      site = await listen((request, response) => {
        const hop = /^\/hop\/(\d+)$/.exec(request.url ?? '')?.[1]
        if (hop)
          return void response
            .writeHead(302, { location: hop === '0' ? '/ok' : `/hop/${Number(hop) - 1}` })
            .end()
        const page = pages[request.url ?? '']
        if (page) page(response)
        else response.writeHead(404).end()
      })
      cacheDir = await mkdtemp(join(tmpdir(), 'svc-verifier-'))
      await chmod(cacheDir, 0o755)
      verifier = make()
      hurried = make({
        timeoutMs: 1500,
        maxFileBytes: 1024 * 1024,
        allowPrivate: [`127.0.0.1:${site.port}`, '127.0.0.1:1'],
      })
      narrow = make({
        maxConcurrent: 1,
        maxWaiting: 1,
        allowPrivate: ['127.0.0.1:*'],
        ownUrl: `http://127.0.0.1:${site.port}`,
        ownPages: '/ok',
      })
    })
    after(async () => {
      for (const each of verifiers) await each.close()
      for (const { server } of [site, honeypot]) {
        server.closeAllConnections()
        await new Promise(resolve => server.close(resolve))
      }
      await rm(cacheDir, { recursive: true, force: true })
    })

    test('says in advance whether a browser can run', async () => {
      const log: string[] = []
      const tried = make({ log: message => log.push(message) })
      await tried.prepare()
      assert.equal(tried.describe().kind, kind)
      assert.equal(log.length, kind === 'http' ? 1 : 0)
    })

    test('a page that answers 200 passes, with status, address, hash and what was seen', async () => {
      const report = await verifier.check(at('/ok'), { expectText: 'Release notes' })
      assert.deepEqual(
        [report.ok, report.code, report.verifier, report.status, report.finalUrl, report.title],
        [true, 'ok', kind, 200, at('/ok'), 'Delivered'],
        report.reason ?? '',
      )
      assert.equal(report.sha256, createHash('sha256').update(GOOD).digest('hex'))
      assert.equal(
        report.screenshot?.subarray(1, 4).toString() ?? 'none',
        kind === 'chromium' ? 'PNG' : 'none',
      )
    })

    test('another status than 200, and a page without the expected text, do not pass', async () => {
      for (const [path, status] of [
        ['/missing', 404],
        ['/broken', 500],
      ] as const) {
        const report = await verifier.check(at(path))
        assert.deepEqual([report.ok, report.code, report.status], [false, 'bad_status', status])
      }
      assert.equal((await verifier.check(at('/ok'), { expectText: 'Something else' })).code, 'text_missing')
    })

    test('five redirects pass, six do not', async () => {
      const { ok, finalUrl, redirects, reason } = await verifier.check(at('/hop/4'))
      assert.deepEqual([ok, finalUrl, redirects.length], [true, at('/ok'), 5], reason ?? '')
      assert.equal((await verifier.check(at('/hop/5'))).code, 'too_many_redirects')
    })

    test('a private address, a redirect to one and a name of one are refused, and nothing is sent there', async () => {
      const inside = `http://127.0.0.1:${honeypot.port}/`
      assert.equal((await verifier.check(inside)).code, 'port')
      assert.equal((await verifier.check('http://127.0.0.1/')).code, 'private_address')
      assert.equal((await verifier.check('http://[::1]/')).code, 'private_address')
      assert.equal((await verifier.check(at('/inside'))).code, 'port')
      assert.equal((await verifier.check(at('/metadata'))).code, 'private_address')
      const named = make({ resolve: async () => [{ address: '10.0.0.1', family: 4 }] })
      assert.equal((await named.check('http://looks-public.example/')).code, 'private_address')
      assert.deepEqual(honeypot.hits, [])
    })

    test('a page that reaches inside by image, frame, fetch or WebSocket gets nothing from there', async () => {
      assert.equal((await verifier.check(at('/embeds'))).ok, true)
      assert.deepEqual(honeypot.hits, [])
    })

    test('other schemes and credentials in the address are refused, also behind a redirect', async () => {
      for (const url of [
        'file:///etc/passwd',
        'data:text/html,x',
        'javascript:alert(1)',
        'ftp://example.com/',
        'not a url',
        'http://user:pass@example.com/',
      ]) {
        assert.equal((await verifier.check(url)).code, 'bad_url', url)
      }
      assert.equal((await verifier.check(at('/file'))).ok, false)
    })

    test('a slow, a large and a dead page end in time with their reason', async () => {
      assert.equal((await hurried.check(at('/slow'))).code, 'timeout')
      assert.equal((await verifier.check(at('/large'))).code, 'too_large')
      assert.ok(['unreachable', 'port'].includes((await hurried.check('http://127.0.0.1:1/')).code))
    })

    test('of this service itself only the trial pages may be opened', async () => {
      assert.equal((await narrow.check(at('/ok'))).ok, true)
      assert.equal((await narrow.check(at('/embeds'))).code, 'private_address')
      assert.equal(
        (await make({ ownUrl: `http://127.0.0.1:${site.port}` }).check(at('/ok'))).code,
        'private_address',
      )
    })

    test('twelve at once all get an answer, and a full queue says so', async () => {
      const reports = await Promise.all(Array.from({ length: 12 }, () => verifier.check(at('/ok'))))
      assert.ok(
        reports.every(report => report.ok),
        reports.map(report => report.reason).join(),
      )
      const codes = (await Promise.all(Array.from({ length: 4 }, () => narrow.check(at('/ok'))))).map(
        report => report.code,
      )
      assert.ok(codes.includes('unavailable') && codes.includes('ok'), codes.join())
    })

    test('a file of any type passes with its type, size and hash, whatever it is served as', async () => {
      for (const [path, type, content] of [
        ['/report.pdf', 'application/pdf', '%PDF-1.4'],
        ['/picture', 'image/png', PNG],
        ['/download', 'application/zip', 'PK'],
        ['/data', 'application/json; charset=utf-8', '{"version": 2}'],
        ['/untyped', null, 'anything'],
      ] as const) {
        const { ok, reason, contentType, bytes, sha256, screenshot, ...report } = await verifier.check(
          at(path),
        )
        assert.deepEqual(
          [ok, report.kind, report.status, contentType, bytes],
          [true, 'file', 200, type, content.length],
          `${path}: ${reason}`,
        )
        assert.deepEqual([sha256, screenshot], [createHash('sha256').update(content).digest('hex'), null])
      }
    })

    test('a file that is missing or too large does not pass, nor one without the expected text', async () => {
      assert.equal((await verifier.check(at('/no-such-file'))).code, 'bad_status')
      assert.equal((await verifier.check(at('/huge.bin'))).ok, true, 'a file may be larger than a page')
      assert.equal((await hurried.check(at('/huge.bin'))).code, 'too_large')
      assert.equal((await verifier.check(at('/data'), { expectText: '"version": 2' })).ok, true)
      assert.equal((await verifier.check(at('/report.pdf'), { expectText: 'PDF' })).code, 'text_missing')
    })

    test('several URLs are opened in turn, up to the first that does not pass, in a limited time', async () => {
      const open = (by: Verifier, ...paths: string[]) => by.checkAll(paths.map(path => ({ url: at(path) })))
      assert.deepEqual(
        (await open(verifier, '/ok', '/report.pdf', '/data')).map(report => report.code),
        ['ok', 'ok', 'ok'],
      )
      assert.deepEqual(
        (await open(verifier, '/ok', '/missing', '/data')).map(report => report.code),
        ['ok', 'bad_status'],
      )
      // Over HTTP alone: the time is counted before a browser is asked.
      const limited = make({ timeoutMs: 60_000, totalMs: 1000, chromiumPath: '/nonexistent' })
      const late = await open(limited, '/slow', '/ok')
      assert.ok(late.length === 1 && late[0]?.code === 'timeout' && late[0].durationMs < 30_000)
    })

    if (kind === 'http') return

    test('a page that moves inside by itself does not pass', async () => {
      const report = await verifier.check(at('/moves'))
      assert.equal(report.ok, false)
      assert.deepEqual(honeypot.hits, [])
    })

    test('the picture shows every script that a font has, and the report names characters that none has', async () => {
      assert.equal((await verifier.check(at('/scripts'))).missingGlyphs, null)
      assert.equal((await verifier.check(at('/unknown'))).missingGlyphs, '\u{30000}')
      assert.equal((await verifier.check(at('/ok'))).missingGlyphs, null)
    })

    test(
      'the browser is no root process, keeps its sandbox, and comes back after a crash',
      { skip: process.platform === 'linux' ? false : 'reads /proc' },
      async () => {
        slow.length = 0
        const looking = verifier.check(at('/lingers'))
        // A renderer enters its sandbox a moment after it started.
        await until(() =>
          chromiums(cacheDir).some(
            ({ command, status }) => command.includes('--type=renderer') && /^Seccomp:\t2$/m.test(status),
          ),
        )
        const processes = chromiums(cacheDir)
        assert.ok(processes.length > 1)
        for (const { status } of processes) assert.doesNotMatch(status, /^Uid:\t0\t/m)
        await until(() => slow.length > 0)
        for (const response of slow) response.end()
        await looking
        await verifier.check(at('/ok'))
        for (const { pid } of chromiums(cacheDir)) kill(pid)
        assert.equal((await verifier.check(at('/ok'))).ok, true)
      },
    )
  })
}
