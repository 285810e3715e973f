import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import {
  createTestDatabase,
  freePort,
  registerHuman,
  startServerProcess,
  startTestService,
  type TestService,
} from '#test'

suite('who reaches the sandbox', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({
      PUBLIC_URL: 'http://svc.test:3000',
      SANDBOX_ALLOWED_HOSTS: 'svc, Other.example',
    })
  })
  after(() => service.close())

  /** The status of a GET for a host name; `fetch` sends no Host header of its own choice. */
  async function statusFor(host: string, baseUrl = service.baseUrl): Promise<number> {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
    let text = ''
    socket.on('data', chunk => {
      text += String(chunk)
    })
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    await once(socket, 'close')
    return Number(text.split(' ')[1])
  }

  test('its own names, addresses and allowed names are served, another name is 421', async () => {
    for (const host of [
      'localhost',
      'LOCALHOST:3000',
      'app.localhost',
      '127.0.0.1:4120',
      '[::1]:4120',
      '192.168.1.20',
      'svc.test',
      'svc.test.:80',
      'svc:3000',
      'other.example',
    ]) {
      assert.equal(await statusFor(host), 200, host)
    }
    for (const host of [
      'attacker.example',
      'attacker.example:4120',
      'localhost.attacker.example',
      '127.0.0.1.attacker.example',
      'notlocalhost',
      'a b',
    ]) {
      assert.equal(await statusFor(host), 421, host)
    }
  })

  test('production mode has no such names: a proxy in front decides', async () => {
    const production = await service.instance({
      SVC_MODE: 'production',
      PUBLIC_URL: 'https://svc.example',
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
      SMTP_URL: 'smtp://127.0.0.1:9',
      VERIFIER_ALLOW_PRIVATE: '',
      ADMIN_PASSWORD: 'zebra Quartz 91 lamp',
    })
    try {
      assert.equal(await statusFor('other.example', production.baseUrl), 200)
    } finally {
      await production.close()
    }
  })

  // That one on loopback prints none is seen in limits.test.ts, which starts such processes.
  test('a start on an address that others reach prints a warning', async () => {
    const database = await createTestDatabase()
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-hosts-'))
    try {
      const server = await startServerProcess({
        HOST: '0.0.0.0',
        PORT: String(await freePort()),
        DATABASE_URL: database.url,
        SVC_DATA_DIR: dataDir,
      })
      await server.end('SIGTERM')
      assert.match(server.output(), /WARNING: sandbox mode listens on 0\.0\.0\.0/)
    } finally {
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    }
  })

  test('the mailbox is for clients on this machine and for admins', async () => {
    const mails = async (
      headers: Record<string, string>,
      token?: string,
      at: Pick<TestService, 'http'> = service,
    ) => (await at.http('GET', '/sandbox/mail', { headers, token })).status
    const { token } = await registerHuman(service)
    assert.equal(await mails({}), 200)
    for (const [name, value] of [
      ['x-forwarded-for', '127.0.0.1'],
      ['x-forwarded-for', '203.0.113.1'],
      ['forwarded', 'for=203.0.113.1'],
    ] as const) {
      const headers = { [name]: value }
      assert.equal(await mails(headers), 403)
      assert.equal(await mails(headers, token), 403)
      assert.equal(await mails(headers, await service.adminToken()), 200)
    }
    const proxied = await service.instance({ TRUSTED_PROXIES: 'loopback' })
    try {
      assert.deepEqual(
        [
          await mails({ 'x-forwarded-for': '203.0.113.1' }, undefined, proxied),
          await mails({ 'x-forwarded-for': '127.0.0.1' }, undefined, proxied),
        ],
        [403, 200],
      )
    } finally {
      await proxied.close()
    }
  })
})
