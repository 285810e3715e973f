import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createTestDatabase,
  freePort,
  startServerProcess,
  type ServerProcess,
  type TestDatabase,
} from '#test'

const ROOT = join(import.meta.dirname, '../..')

suite('starting and stopping the process', () => {
  let database: TestDatabase
  let dataDir: string
  /** One test leaves it running for the next: a start costs seconds of processor time. */
  let server: ServerProcess
  before(async () => {
    database = await createTestDatabase({ empty: true })
    dataDir = await mkdtemp(join(tmpdir(), 'svc-stop-'))
  })
  after(async () => {
    await server.end('SIGTERM')
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const env = async () => ({
    PORT: String(await freePort()),
    DATABASE_URL: database.url,
    SVC_DATA_DIR: dataDir,
  })

  test('the first start migrates an empty database, prints where to go and how to become admin', async () => {
    server = await startServerProcess(await env())
    assert.match(server.output(), /svc is ready/)
    assert.ok(server.output().includes(`${server.baseUrl}/docs`))
    const link = /http:\/\/\S+\/setup\/\S+/.exec(server.output())?.[0]
    assert.ok(link, server.output())
    assert.equal((await fetch(link)).status, 200)
  })

  test('a port in use is named with what to do', async () => {
    await assert.rejects(
      startServerProcess({ ...(await env()), PORT: new URL(server.baseUrl).port }),
      /port \d+ on 127\.0\.0\.1 is in use\..*PORT/,
    )
  })

  test('a HOST that is no address of this machine is named with what to do', async () => {
    for (const [HOST, PORT] of [
      ['192.0.2.1', '0'],
      ['nowhere.invalid', '0'],
      ['nowhere.invalid', String(await freePort())],
    ] as const)
      await assert.rejects(
        startServerProcess({ ...(await env()), HOST, PORT }),
        new RegExp(`The service does not start: this machine has no address ${HOST}. Set HOST to`),
      )
  })

  test('SIGTERM under load fails no request that was taken, and ends with 0', async () => {
    const statuses: number[] = []
    let refused = false
    const client = async () => {
      while (!refused)
        await fetch(`${server.baseUrl}/agents`).then(
          async answer => {
            statuses.push(answer.status)
            await answer.text()
          },
          (error: Error) => {
            refused = /ECONNREFUSED|ECONNRESET|closed/.test(String(error.cause)) || Boolean(error)
          },
        )
    }
    const load = Promise.all(Array.from({ length: 8 }, client))
    while (statuses.length < 50) await new Promise(resolve => setTimeout(resolve, 5))
    assert.equal(await server.end('SIGTERM'), 0)
    await load
    assert.deepEqual(
      [...new Set(statuses)].filter(status => status !== 200 && status !== 503),
      [],
    )
  })

  test('the first request that is taken is served, whatever it needs', async () => {
    const defect = `process.on('SIGUSR2', () => { throw new Error('a defect') })`
    const settings = {
      ...(await env()),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(defect)}`,
    }
    const starting = startServerProcess(settings)
    const body = JSON.stringify({
      email: 'early@example.com',
      displayName: 'Early',
      password: 'correct horse battery',
    })
    // Registering enqueues a mail.
    const register = () =>
      fetch(`http://127.0.0.1:${settings.PORT}/auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    let first: Response | undefined
    for (let tries = 0; !first && tries < 10_000; tries++)
      first = await register().catch(() => sleep(2, undefined))
    assert.equal(first?.status, 201, await first?.text())
    server = await starting
  })

  test('a defect of the program ends it cleanly, and with an error for the supervisor', async () => {
    assert.equal(await server.end('SIGUSR2'), 1, server.output())
    assert.match(server.output(), /"level":"fatal".*a defect/)
    assert.match(server.output(), /svc has stopped/)
  })

  test('SIGTERM to npm start ends the server too', async () => {
    const { PORT, ...settings } = await env()
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { ...process.env, ...settings, PORT, LOG_LEVEL: 'error' },
      stdio: 'ignore',
    })
    const answers = () =>
      fetch(`http://127.0.0.1:${PORT}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    for (let tries = 0; !(await answers()) && tries < 1000; tries++) await sleep(20)
    assert.ok(await answers())
    npm.kill('SIGTERM')
    await once(npm, 'exit')
    for (let tries = 0; (await answers()) && tries < 500; tries++) await sleep(20)
    assert.equal(await answers(), false)
  })

  test('a bad configuration names all faults and ends with 78', async () => {
    await assert.rejects(
      startServerProcess({
        ...(await env()),
        SVC_MODE: 'live',
        DATABASE_POOL_SIZE: 'many',
        LOG_LEVELS: 'debug',
      }),
      /ended with 78[\s\S]*WARNING: LOG_LEVELS is no setting[\s\S]*SVC_MODE[\s\S]*DATABASE_POOL_SIZE/,
    )
  })
})
