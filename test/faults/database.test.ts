import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, childrenOf, freePort, startServerProcess, type Answer, type ServerProcess } from '#test'

/** Many times what it takes: on a machine that does much else everything is slow. */
const RECOVERY_MS = 60_000
/** Of a client between two requests: enough of them meet each fault, and the processor is left to what is tested. */
const PAUSE_MS = 50
const PERSON = { email: 'person@example.com', displayName: 'Person', password: 'correct horse battery' }

/** The embedded PostgreSQL of a running service is killed, in parts and whole: the service recovers by itself. */
suite('failures of the embedded PostgreSQL under a running service', () => {
  let base: string
  let dataDir: string
  let env: Record<string, string> & { PORT: string }
  let server: ServerProcess
  before(async () => {
    base = await mkdtemp(join(tmpdir(), 'svc-pg-faults-'))
    await chmod(base, 0o755)
    dataDir = join(base, 'data')
    env = { PORT: String(await freePort()), SVC_DATA_DIR: dataDir }
    server = await startServerProcess(env)
    await untilReady()
    assert.equal((await http('POST', '/auth/register', { body: PERSON })).status, 201)
  })
  after(async () => {
    await server.end('SIGTERM')
    await rm(base, { recursive: true, force: true })
  })

  const http = <Body>(
    method: string,
    path: string,
    options: Parameters<typeof call>[2] = {},
  ): Promise<Answer<Body>> => call<Body>(server.baseUrl + path, method, options)
  const postmaster = async (): Promise<number> =>
    Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])

  /** Not by /readyz, whose answer may be a second old. */
  async function untilReady(): Promise<void> {
    for (const deadline = Date.now() + RECOVERY_MS; Date.now() < deadline; await sleep(50)) {
      if ((await http('GET', '/agents')).status === 200) return
    }
    assert.fail(`not ready in ${RECOVERY_MS} ms`)
  }

  /** Requests while `work` runs; returns the statuses of all answers. */
  async function underLoad(work: () => Promise<unknown>): Promise<Set<number>> {
    const statuses = new Set<number>()
    let ended = false
    const client = async () => {
      for (; !ended; await sleep(PAUSE_MS)) statuses.add((await http('GET', '/agents')).status)
    }
    const clients = Array.from({ length: 4 }, client)
    await work().finally(() => {
      ended = true
    })
    await Promise.all(clients)
    return statuses
  }

  test('after the crash of one backend, no command and no second instance stops the database', async () => {
    const pid = await postmaster()
    const statuses = await underLoad(async () => {
      const backend = (await childrenOf(pid)).find(({ command }) => command.includes('[local]'))
      assert.ok(backend, 'no backend was found')
      process.kill(backend.pid, 'SIGKILL')
      await untilReady()
    })
    assert.deepEqual(
      [...statuses].filter(status => status !== 200 && status !== 503),
      [],
    )
    const { status, stdout, stderr } = await runSvc(['audit', 'verify'], dataDir)
    assert.equal(status, 0, stdout + stderr)
    // The port is taken, so this second instance ends at once.
    await assert.rejects(startServerProcess(env), /ended with 1/)
    assert.equal((await http('GET', '/agents')).status, 200)
    assert.equal(await postmaster(), pid)
  })

  test('a killed postmaster is started again, with everything that was acknowledged', async () => {
    const pid = await postmaster()
    const statuses = await underLoad(async () => {
      process.kill(pid, 'SIGKILL')
      await sleep(200)
      await untilReady()
    })
    assert.deepEqual(
      [...statuses].filter(status => status !== 200 && status !== 503),
      [],
    )
    assert.notEqual(await postmaster(), pid)
    assert.equal((await http('GET', '/healthz')).status, 200)
    assert.equal((await http('POST', '/auth/login', { body: PERSON })).status, 200)
    await requireMailTo('soon@example.com')
    const { status, stdout, stderr } = await runSvc(['ledger', 'check'], dataDir)
    assert.equal(status, 0, stdout + stderr)
    assert.equal((await http('GET', '/agents')).status, 200)
  })

  test(
    'a frozen database is a 503 while it is frozen, and the service goes on by itself when it wakes',
    { timeout: 120_000 },
    async () => {
      const {
        body: { accessToken, refreshToken },
      } = await http<{ accessToken: string; refreshToken: string }>('POST', '/auth/login', { body: PERSON })
      const pid = await postmaster()
      const frozen = [{ pid }, ...(await childrenOf(pid))]
      const statuses = await underLoad(async () => {
        for (const each of frozen) process.kill(each.pid, 'SIGSTOP')
        const requests: [string, string, object?][] = [
          ['GET', '/agents'],
          ['POST', '/auth/login', PERSON],
          ['POST', '/agents', { name: 'Agent' }],
        ]
        for (let round = 0; round < 2; round++) {
          await Promise.all(
            requests.map(async ([method, path, body]) => {
              const answer = await http(method, path, { body, token: accessToken })
              assert.equal(answer.status, 503, `${method} ${path}: ${answer.status} ${answer.text}`)
              assert.equal(answer.headers.get('retry-after'), '1')
            }),
          )
        }
        assert.equal((await http('GET', '/readyz')).status, 503)
        for (const each of frozen) process.kill(each.pid, 'SIGCONT')
        await untilReady()
      })
      assert.deepEqual(
        [...statuses].filter(status => status !== 200 && status !== 503),
        [],
      )
      assert.equal(
        (await http('POST', '/agents', { body: { name: 'Agent' }, token: accessToken })).status,
        201,
      )
      await requireMailTo('late@example.com')
      // What credentials prove is looked up again: a session that ends is refused within a second.
      assert.ok(
        (await http('POST', '/auth/logout', { token: accessToken, body: { refreshToken } })).status < 300,
      )
      await sleep(1000)
      assert.equal((await http('GET', '/users/me', { token: accessToken })).status, 401)
    },
  )

  /** The job queue works: a mail is sent by a job. */
  async function requireMailTo(email: string): Promise<void> {
    assert.equal((await http('POST', '/auth/register', { body: { ...PERSON, email } })).status, 201)
    for (const deadline = Date.now() + RECOVERY_MS; Date.now() < deadline; await sleep(100)) {
      if ((await http('GET', '/sandbox/mail')).text.includes(email)) return
    }
    assert.fail(`no mail to ${email}`)
  }

  test(
    'a database that cannot be started again ends the service with an error',
    { timeout: 60_000 },
    async () => {
      const pid = await postmaster()
      const ended = once(server.child, 'exit') as Promise<[number | null]>
      await rename(join(dataDir, 'postgres'), join(base, 'moved'))
      process.kill(pid, 'SIGKILL')
      const failed = await untilHealthFails()
      assert.equal(failed.body.status, 'failed')
      assert.deepEqual(await ended, [1, null])
      assert.match(server.output(), /The database is gone: /)
    },
  )

  async function untilHealthFails(): Promise<Answer<{ status: string }>> {
    for (; ; await sleep(50)) {
      const answer = await http<{ status: string }>('GET', '/healthz')
      if (answer.status === 503) return answer
    }
  }
})

const runSvc = (
  words: string[],
  dataDir: string,
): Promise<{ status: number; stdout: string; stderr: string }> =>
  new Promise(resolve => {
    execFile(
      'bin/svc',
      words,
      { env: { PATH: process.env.PATH, SVC_DATA_DIR: dataDir } },
      (error, stdout, stderr) => {
        resolve({ status: error ? Number(error.code) : 0, stdout, stderr })
      },
    )
  })
