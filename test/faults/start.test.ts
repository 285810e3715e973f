import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#test'

const ROOT = join(import.meta.dirname, '../..')

/** A start with the embedded PostgreSQL in `dataDir`, which need not become ready. */
function start(dataDir: string, port: number) {
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(ROOT, 'node_modules/.cache/svc'),
      CHROMIUM_PATH: '/nonexistent',
      PORT: String(port),
      SVC_DATA_DIR: dataDir,
    },
  })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => printed.push(String(chunk)))
  const ended = once(child, 'close').then(([code, signal]) => ({
    status: (code ?? signal) as number | string,
  }))
  return { child, ended, output: () => printed.join('') }
}

suite('a first start that does not become ready', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-start-'))
    await chmod(folder, 0o755)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const postmasterOf = (dataDir: string) =>
    readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => null)

  test('a port in use is named at once, before the data folder is made', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { ended, output } = start(join(folder, 'port'), port)
    try {
      assert.deepEqual(await ended, { status: 1 })
      assert.equal(
        output(),
        `The service does not start: port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or set PORT to another one (PORT=0 takes a free one)\n`,
      )
      assert.deepEqual(await readdir(folder), [])
    } finally {
      other.close()
    }
  })

  for (const [moment, afterMs] of [
    ['starts PostgreSQL', 0],
    ['migrates the database', 1500],
  ] as const)
    test(`SIGTERM while it ${moment} stops PostgreSQL too, and ends with 0`, async () => {
      const dataDir = join(folder, `signal-${afterMs}`)
      const { child, ended, output } = start(dataDir, await freePort())
      while (child.exitCode === null && (await postmasterOf(dataDir)) === null) await sleep(5)
      await sleep(afterMs)
      child.kill('SIGTERM')
      const { status } = await ended
      const left = await postmasterOf(dataDir)
      // A failure must not leave it running.
      if (left !== null) process.kill(Number(left.split('\n')[0]), 'SIGINT')
      assert.deepEqual({ status, left }, { status: 0, left: null }, output())
      assert.match(output(), /svc has stopped\n$/)
    })
})
