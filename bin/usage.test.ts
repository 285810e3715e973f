import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'

suite('svc that is called in a wrong way', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-usage-'))
  })
  after(() => rm(folder, { recursive: true }))

  const svc = (words: string, env: Record<string, string> = {}) =>
    new Promise<[status: number, out: string, err: string]>(resolve => {
      execFile(
        join(import.meta.dirname, 'svc'),
        words.split(' '),
        { env: { PATH: process.env.PATH, SVC_DATA_DIR: join(folder, 'none'), ...env } },
        (error, out, err) => {
          resolve([error ? Number(error.code) : 0, out, err])
        },
      )
    })

  test('an unknown command is one line with status 64, also for help', async () => {
    for (const [words, message] of [
      ['foo', 'svc: unknown command "foo". "svc help" lists all commands\n'],
      ['foo --password secret', 'svc: unknown command "foo". "svc help" lists all commands\n'],
      ['help foo', 'svc: unknown command "foo". "svc help" lists all commands\n'],
      ['foo --help', 'svc: unknown command "foo". "svc help" lists all commands\n'],
      ['ledger fix', 'svc: unknown command "ledger fix". The commands of this group: svc ledger check\n'],
      ['vault', 'svc: unknown command "vault". The commands of this group: svc vault rotate\n'],
    ] as const)
      assert.deepEqual(await svc(words), [64, '', message], words)
  })

  test('help of a group lists its commands', async () => {
    for (const words of ['help ledger', 'ledger --help']) {
      const [status, out] = await svc(words)
      assert.deepEqual([status, out.split('\n').length], [0, 4], words)
      assert.match(out, /^ {2}svc ledger check/)
    }
  })

  test('an error begins with all words of the command', async () => {
    for (const [words, message] of [
      ['ledger check', /^svc ledger check: there is no database in /],
      ['vault rotate now', /^svc vault rotate: wrong number of arguments\. Usage: svc vault rotate\n$/],
    ] as const) {
      const [status, , err] = await svc(words)
      assert.ok(status > 0)
      assert.match(err, message)
    }
  })

  test('restore says of a path what it is not, before it asks for anything', async () => {
    const missing = join(folder, 'no.backup')
    assert.deepEqual(await svc(`restore ${missing}`), [
      1,
      '',
      `svc restore: there is no file or folder ${missing}\n`,
    ])
    assert.deepEqual(await svc(`restore ${folder}`), [
      1,
      '',
      `svc restore: ${folder} is no complete base copy: it has no manifest.json\n`,
    ])
  })

  test('doctor makes no data folder', async () => {
    const [status, out] = await svc('doctor')
    assert.equal(status, 1)
    assert.match(out, /^FINDING there is no database in/m)
    assert.deepEqual(await readdir(folder), [])
  })
})
