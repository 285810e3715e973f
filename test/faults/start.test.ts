import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'

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
})
