import assert from 'node:assert/strict'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { CHROMIUM_CACHE } from '../../../../test/support/browser/browser.ts'
import { Dialer } from '../egress/dialer.ts'
import { FilterProxy } from '../egress/proxy.ts'
import { createVerifier, type Verifier } from './verifier.ts'

const PAGES: Record<string, string> = {
  '/ok': '<title>ok</title>here',
  '/late-text': '<body><script>setTimeout(() => { document.body.append("It is\\n done") }, 600)</script>',
  '/busy': '<h1>x</h1><script>setTimeout(() => { for (;;); }, 1)</script>',
  '/asks':
    '<title>asks</title><script>alert(1); confirm(2); window.onbeforeunload = () => "stay"; window.open("/ok")</script>',
  '/again': '<script>location.href = "/again?" + Math.random()</script>',
  '/refresh': '<meta http-equiv="refresh" content="0">',
  '/leaves': '<script>location.href = "about:blank"</script>',
  '/fills-heap':
    '<script>setTimeout(() => { const all = []; for (;;) all.push(new Array(1e6).fill({})) }, 1)</script>',
  '/fills-buffers':
    '<script>setTimeout(() => { const all = []; for (;;) all.push(new Uint8Array(1 << 25).fill(1)) }, 1)</script>',
  '/names':
    '<script>Object.defineProperty(document, "title", { get: () => "false" }); String.prototype.includes = () => true</script><title>true</title>',
  '/long': '<script>document.title = "t".repeat(1 << 26)</script>',
  '/sends':
    '<script>const call = new XMLHttpRequest(); call.open("POST", "/ok", false); call.send("x".repeat(6 << 20))</script>',
}

/** 100 MB of spaces in 100 KB. */
const BOMB = gzipSync(
  Buffer.concat([Buffer.from('<title>large</title>'), Buffer.alloc(100 * 1024 * 1024, 32)]),
)

suite('a page that means ill', () => {
  let site: HttpServer
  let raw: Server
  let answer = ''
  let verifier: Verifier
  /** For pages that never end. */
  let hurried: Verifier
  /** For pages that take long to fill memory or their budget. */
  let patient: Verifier
  const portOf = (server: Server | HttpServer) => (server.address() as AddressInfo).port
  const at = (path: string) => `http://127.0.0.1:${portOf(site)}${path}`
  const listen = (server: Server | HttpServer) =>
    new Promise<void>(resolve => {
      server.listen(0, '127.0.0.1', resolve)
    })
  const codeOf = async (url: string, by = verifier) => (await by.check(url)).code
  const open = (timeoutMs: number) =>
    createVerifier({
      cacheDir: CHROMIUM_CACHE,
      allowPrivate: [`127.0.0.1:${portOf(site)}`, `127.0.0.1:${portOf(raw)}`],
      log: assert.fail,
      maxConcurrent: 2,
      timeoutMs,
    })

  before(async () => {
    site = createHttpServer((request, response) => {
      if (request.url === '/bomb')
        return void response
          .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
          .end(BOMB)
      const page = PAGES[request.url?.split('?')[0] ?? ''] ?? ''
      request.resume().on('end', () => response.setHeader('content-type', 'text/html').end(page))
    })
    raw = createServer(socket =>
      socket
        .on('error', () => undefined)
        .once('data', () => {
          socket.write(answer, 'latin1')
          if (!answer.endsWith('...')) socket.end()
        }),
    )
    await Promise.all([listen(site), listen(raw)])
    verifier = open(5000)
    hurried = open(2000)
    patient = open(25_000)
    await verifier.prepare()
  })
  after(async () => {
    await Promise.all([verifier.close(), hurried.close(), patient.close()])
    site.closeAllConnections()
    await Promise.all([
      new Promise(resolve => site.close(resolve)),
      new Promise(resolve => raw.close(resolve)),
    ])
  })

  test('cannot keep its place: tabs that never let go end in time, and the next page passes', async () => {
    const busy = await Promise.all(Array.from({ length: 3 }, () => codeOf(at('/busy'), hurried)))
    assert.deepEqual(busy, ['timeout', 'timeout', 'timeout'])
    assert.equal(await codeOf(at('/ok'), hurried), 'ok')
  })

  test('cannot hold the look up with dialogs and windows', async () => {
    const { ok, title } = await verifier.check(at('/asks'))
    assert.deepEqual([ok, title], [true, 'asks'])
  })

  test('cannot pass by moving: moves count as redirects, and it must come to rest on the web', async () => {
    assert.equal(await codeOf(at('/again')), 'too_many_redirects')
    assert.equal(await codeOf(at('/refresh')), 'too_many_redirects')
    const left = await verifier.check(at('/leaves'))
    assert.deepEqual([left.code, left.sha256], ['bad_url', null])
  })

  test('cannot end the service with an answer that is no HTTP', async () => {
    for (const broken of [
      'HTTP/1.1 000 x\r\n\r\nx',
      'HTTP/1.1 099 x\r\n\r\nx',
      'HTTP/1.1 101 x\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\u00e9: \u0001\r\n\r\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'garbage\r\n\r\n',
      '',
    ]) {
      answer = broken
      assert.equal(await codeOf(`http://127.0.0.1:${portOf(raw)}/`), 'unreachable', broken)
    }
    assert.equal(await codeOf(`https://127.0.0.1:${portOf(raw)}/`), 'unreachable')
  })

  test('does not pass with half a document', async () => {
    answer = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<title>and so on ...'
    const { code, sha256 } = await hurried.check(`http://127.0.0.1:${portOf(raw)}/`)
    assert.deepEqual([code, sha256], ['timeout', null])
  })

  test(
    'cannot fill the memory of the machine, and the next page passes',
    { skip: process.platform === 'linux' ? false : 'reads /proc' },
    async () => {
      for (const path of ['/fills-heap', '/fills-buffers'])
        assert.equal(await codeOf(at(path), patient), 'out_of_memory', path)
      assert.equal(await codeOf(at('/bomb'), patient), 'too_large')
      assert.equal(await codeOf(at('/ok')), 'ok')
    },
  )

  test('cannot change what is read of it, or make that long', async () => {
    assert.equal((await verifier.check(at('/names'))).title, 'true')
    assert.equal((await verifier.check(at('/names'), { expectText: 'not there' })).code, 'text_missing')
    assert.equal((await patient.check(at('/long'))).title?.length, 300)
  })

  test('cannot send more than its budget either', async () => {
    assert.equal(await codeOf(at('/sends'), patient), 'too_large')
  })

  test('while one that shows its text a little later passes', async () => {
    assert.equal((await verifier.check(at('/late-text'), { expectText: 'It is done' })).code, 'ok')
  })
})

suite('the filter proxy', () => {
  test('serves nobody but sessions of ours', async () => {
    const proxy = new FilterProxy(new Dialer({ allowPrivate: ['127.0.0.1:*'] }))
    const address = new URL(await proxy.listen())
    const session = proxy.open(1000)
    const ask = (line: string, credentials: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(address.port), address.hostname)
        let text = ''
        socket
          .on('data', chunk => {
            text += chunk.toString()
          })
          .on('error', reject)
          .on('close', () => {
            resolve(text.split('\r\n')[0] ?? '')
          })
        socket.end(
          `${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nproxy-authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n\r\n`,
        )
      })
    for (const line of [`GET ${address.href}`, `CONNECT ${address.host}`]) {
      assert.match(await ask(line, `${session.username}:wrong`), / 407 /)
      assert.match(await ask(line, ''), / 407 /)
    }
    assert.match(await ask('CONNECT 10.0.0.1:443', `${session.username}:${session.password}`), / 502 /)
    assert.deepEqual(
      session.refusals.map(each => [each.target, each.refusal.code]),
      [['10.0.0.1:443', 'private_address']],
    )
    proxy.end(session)
    assert.match(await ask('CONNECT 10.0.0.1:443', `${session.username}:${session.password}`), / 407 /)
    await proxy.close()
  })
})
