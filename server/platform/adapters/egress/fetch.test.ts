import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { Dialer } from './dialer.ts'
import { FetchFailed, fetchThrough, type GuardedRequest } from './fetch.ts'

suite('an exchange through the dialer', () => {
  let server: Server
  let port: number
  let answer = ''
  let asked: string[] = []
  const listen = async (server: Server) => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  const send = (options: Partial<GuardedRequest> = {}, scheme = 'http') =>
    fetchThrough(new Dialer({ allowPrivate: [`127.0.0.1:${port}`] }), `${scheme}://127.0.0.1:${port}/`, {
      timeoutMs: 1000,
      maxBytes: 1000,
      maxRedirects: 3,
      ...options,
    })
  const failure = (code: FetchFailed['code']) => (error: unknown) =>
    error instanceof FetchFailed && error.code === code

  before(async () => {
    server = createServer(socket => {
      socket.on('error', () => undefined)
      socket.once('data', chunk => {
        asked.push(chunk.toString().split('\r\n')[0] ?? '')
        socket.write(answer, 'latin1')
        if (!answer.endsWith('...')) socket.end()
      })
    })
    port = await listen(server)
  })
  after(async () => {
    await new Promise(resolve => server.close(resolve))
  })

  test('brings status, headers and body', async () => {
    answer = 'HTTP/1.1 201 Created\r\nx-kind: a\r\n\r\nhello'
    const { status, headers, body, redirects } = await send({ method: 'POST', body: 'x' })
    assert.deepEqual([status, headers['x-kind'], body.toString(), redirects], [201, 'a', 'hello', []])
  })

  test('answers that are no proper HTTP end as a word, not as a crash', async () => {
    for (const broken of [
      'garbage\r\n\r\n',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      '',
    ]) {
      answer = broken
      await assert.rejects(send(), failure('unreachable'), broken)
    }
    answer = 'HTTP/1.1 200 OK\r\n\r\nno TLS here'
    await assert.rejects(send({}, 'https'), failure('unreachable'))
  })

  test('a body that never ends is too late, a large one too large', async () => {
    answer = 'HTTP/1.1 200 OK\r\n\r\nand so on ...'
    await assert.rejects(send({ timeoutMs: 200 }), failure('timeout'))
    answer = `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1001)}`
    await assert.rejects(send(), failure('too_large'))
  })

  test('a name that does not resolve in time counts into the time of the exchange', async () => {
    const dialer = new Dialer({ allowPrivate: [], resolve: () => new Promise(() => undefined) })
    await assert.rejects(
      fetchThrough(dialer, 'http://slow.example/', { timeoutMs: 100, maxBytes: 1, maxRedirects: 0 }),
      failure('timeout'),
    )
  })

  test('a redirect is followed for GET alone: a body goes to nobody else', async () => {
    answer = 'HTTP/1.1 307 Moved\r\nlocation: /again\r\n\r\n'
    asked = []
    await assert.rejects(send(), failure('too_many_redirects'))
    assert.equal(asked.length, 4)
    asked = []
    assert.equal((await send({ method: 'POST', body: 'secret' })).status, 307)
    assert.deepEqual(asked, ['POST / HTTP/1.1'])
  })

  test('a redirect to no URL, or to another scheme, is refused', async () => {
    for (const location of ['http://[bad', 'file:///etc/passwd', 'gopher://example.com/']) {
      answer = `HTTP/1.1 302 Moved\r\nlocation: ${location}\r\n\r\n`
      await assert.rejects(send(), failure('bad_url'), location)
    }
  })
})
