import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, it } from 'node:test'
import { accounts, post } from '#ledger'
import { createWallet } from '#wallets'
import { readConfig } from '#platform/kernel/config'
import { newId } from '#platform/kernel/id'
import { secretsOf } from '#platform/kernel/secrets'
import { sql } from '#platform/kernel/sql'
import { findCommand, parse, UsageError } from './commands/command.ts'
import { withServer } from './commands/database.ts'
import { commands } from './commands/index.ts'
import { createTestDatabase } from '../test/support/database/database.ts'
import { CHROMIUM_CACHE } from '../test/support/browser/browser.ts'
import { freePort } from '../test/support/service/port.ts'
import { openTestDb, type TestDb } from '../test/support/database/db.ts'
import { sealAll } from '../test/support/database/sealing.ts'

let test: TestDb
before(async () => {
  test = await openTestDb()
})
after(() => test.close())

const MASTER_KEY = 'ab'.repeat(32)
const SVC = join(import.meta.dirname, 'svc')

/** Runs the command as an operator would, from another folder. */
async function svc(
  words: string[],
  env: Record<string, string> = {},
): Promise<{ status: number; out: string; err: string }> {
  return new Promise(resolve => {
    execFile(
      SVC,
      words,
      {
        cwd: '/',
        env: { PATH: process.env.PATH, DATABASE_URL: test.url, SVC_MASTER_KEY: MASTER_KEY, ...env },
      },
      (error, out, err) => {
        resolve({ status: error ? Number(error.code) : 0, out, err })
      },
    )
  })
}

/** Prints the modules of the service that a process loads. */
const NAME_MODULES = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, load) => {
  if (url.includes('/server/modules/')) process.stderr.write(url + '\\n')
  return load(url, context)
} })`

it('help and config load nothing of the service', async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(NAME_MODULES)}`
  for (const words of [['help'], ['backup', '--help'], ['config']]) {
    const { status, err } = await svc(words, { NODE_OPTIONS })
    assert.deepEqual([status, err], [0, ''], words.join(' '))
  }
  assert.match((await svc(['ledger', 'check'], { NODE_OPTIONS })).err, /modules\/ledger/)
})

it('help lists every command; an unknown one is a usage error', async () => {
  const help = await svc(['help'])
  assert.equal(help.status, 0)
  for (const name of [
    'ledger check',
    'audit verify',
    'reconcile',
    'doctor',
    'backup FILE',
    'restore FILE',
    'config',
  ])
    assert.match(help.out, new RegExp(`svc ${name}`))
  assert.match((await svc(['--version'])).out, /^svc \d+\.\d+\.\d+, Node 24\./)
  const unknown = await svc(['ledger', 'fix'])
  assert.equal(unknown.status, 64)
  assert.match(unknown.err, /unknown command "ledger fix"/)
})

it('an unknown option and a missing argument are usage errors, --help is none', async () => {
  for (const [words, expected] of [
    [['ledger', 'check', '--fix'], /^unknown option --fix\. Usage: svc ledger check/],
    [['ledger', 'check', '--all'], /^unknown option --all\. Usage: svc ledger check/],
    [['backup', 'one', 'two'], /^wrong number of arguments\. Usage: svc backup/],
    [['restore'], /^wrong number of arguments\. Usage: svc restore/],
    [['config', 'PORT'], /^wrong number of arguments\. Usage: svc config/],
  ] as const) {
    const command = findCommand(commands, words) ?? assert.fail(words.join(' '))
    const given = words.slice(command.name.split(' ').length)
    assert.throws(
      () => parse(command, given),
      (error: Error) => error instanceof UsageError && expected.test(error.message),
      words.join(' '),
    )
  }
  // The process of the command ends with the status of such an error.
  const { status, err, out } = await svc(['backup'])
  assert.deepEqual([status, out], [64, ''])
  assert.match(err, /Usage: svc /)
  assert.equal((await svc(['backup', '--help'])).status, 0)
})

it('mcp names an address that no request can go to', async () => {
  const { status, err } = await svc(['mcp'], { SVC_URL: 'localhost:3000', SVC_API_KEY: 'sk_test' })
  assert.deepEqual([status, /SVC_URL must be one such as http:/.test(err)], [64, true], err)
})

it('ledger check and audit verify exit with 0, and with 1 if there are findings', async () => {
  await test.db.transaction(async tx => {
    const accountId = newId()
    const { id } = await createWallet(tx, { ownerType: 'USER', ownerId: accountId, accountId })
    await post(tx, {
      kind: 'promotion',
      key: 'k',
      legs: [{ debit: accounts.promotion, credit: accounts.wallet(id), amount: 5_000_000n, asset: 'USD' }],
    })
  })
  await sealAll(test.db, secretsOf(MASTER_KEY))
  const good = await svc(['ledger', 'check'])
  assert.deepEqual([good.status, good.err], [0, ''])
  assert.match(good.out, /2010 {2}wallet +5\.00 USD/)
  assert.match(good.out, /no findings/)
  const chain = await svc(['audit', 'verify'])
  assert.equal(chain.status, 0, chain.out)
  const full = await svc(['ledger', 'check', '--full'])
  assert.deepEqual([full.status, full.err], [0, ''])
  assert.match(full.out, /Read from the first block/)
  await test.db.run(sql`update ledger_balance set balance = 4000000 where balance > 0`)
  const bad = await svc(['ledger', 'check'])
  assert.equal(bad.status, 1)
  assert.match(bad.out, /FINDING .*balance of 2010:[\w-]+ is 4000000, its entries sum to 5000000/)
  await test.db.transaction(async tx => {
    await tx.run(sql`alter table ledger_journal disable trigger user`)
    await tx.run(
      sql`update ledger_journal set memo = 'other', recorded_at = recorded_at - interval '2 minutes'`,
    )
  })
  const changed = await svc(['audit', 'verify'])
  assert.equal(changed.status, 1)
  assert.match(changed.out, /FINDING journal/)
  const other = await svc(['audit', 'verify'], { SVC_MASTER_KEY: 'cd'.repeat(32) })
  assert.equal(other.status, 1)
  assert.match(other.err, /master key does not match/)
})

it('a database that does not answer is named with the reason', async () => {
  const { status, err } = await svc(['backup', '/tmp/never.backup'], {
    DATABASE_URL: 'postgres://localhost:1/none',
    SVC_BACKUP_PASSPHRASE: 'correct horse battery',
  })
  assert.equal(status, 1)
  assert.match(err, /ECONNREFUSED/)
})

it('names a database without tables in one sentence', async () => {
  const empty = await createTestDatabase({ empty: true })
  const { status, err } = await svc(['ledger', 'check'], { DATABASE_URL: empty.url })
  assert.equal(status, 1)
  assert.match(err, /start the service once/)
  await empty.drop()
})

it('makes no database in a data folder that has none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-none-'))
  const env = { DATABASE_URL: '', SVC_DATA_DIR: join(folder, 'data') }
  const commands = ['ledger check', 'audit verify', 'backup /tmp/never.backup', 'upgrade', 'vault rotate']
  for (const words of commands) {
    const { status, err } = await svc(words.split(' '), {
      ...env,
      SVC_BACKUP_PASSPHRASE: 'correct horse battery',
    })
    assert.deepEqual(
      [status, /there is no database in \S+: set SVC_DATA_DIR or DATABASE_URL/.test(err)],
      [1, true],
      err,
    )
  }
  assert.deepEqual(await readdir(folder), [])
  const doctor = await svc(['doctor'], { ...env, CHROMIUM_PATH: '/nonexistent' })
  assert.equal(doctor.status, 1)
  assert.match(doctor.out, /^FINDING there is no database in/m)
  await rm(folder, { recursive: true })
})

it('config prints every setting and masks secrets; an invalid one ends with 78', async () => {
  const { status, out } = await svc(['config'], { PORT: '4000', PROCESSOR_WEBHOOK_SECRET: 'whsec_hidden' })
  assert.equal(status, 0)
  assert.match(out, /^PORT=4000$/m)
  assert.match(out, /^HOST=127\.0\.0\.1 \(default\)$/m)
  assert.match(out, /^PROCESSOR_WEBHOOK_SECRET=\*\*\*$/m)
  assert.doesNotMatch(out, /whsec_hidden/)
  const invalid = await svc(['config'], { PORT: 'many' })
  assert.equal(invalid.status, 78)
  assert.match(invalid.err, /PORT must be a whole number/)
})

it('reports an unusable database with what to do about it', async () => {
  const server = new URL(test.url)
  // Something else listens at the address of DATABASE_URL.
  const other = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const at = (change: (url: URL) => void): string => {
    const url = new URL(server)
    change(url)
    return url.href
  }
  const cases: [string, RegExp][] = [
    [
      `postgres://someone@127.0.0.1:${await freePort()}/svc`,
      /no PostgreSQL listens at 127\.0\.0\.1:\d+: start it, or correct DATABASE_URL/,
    ],
    ['postgres://someone@nowhere.invalid/svc', /the host nowhere\.invalid of DATABASE_URL cannot be found/],
    [
      `postgres://someone@127.0.0.1:${port}/svc`,
      /the connection to 127\.0\.0\.1:\d+ was ended: look whether PostgreSQL listens there/,
    ],
    [
      `postgres://someone@127.0.0.1:${port}/svc?sslmode=verify-full`,
      /the connection to 127\.0\.0\.1:\d+ was ended: look whether PostgreSQL listens there/,
    ],
    [
      at(url => {
        url.password = 'wrong'
        url.username = 'missing'
      }),
      /refuses the user "missing": correct user and password/,
    ],
    [
      at(url => {
        url.pathname = '/missing'
      }),
      /the database "missing" does not exist at .*: create it/,
    ],
  ]
  for (const [url, expected] of cases)
    await assert.rejects(
      withServer(readConfig({ DATABASE_URL: url }), async url => {
        const { db, close } = await openTestDb(url)
        try {
          await db.run(sql`select 1`)
        } finally {
          await close()
        }
      }),
      { message: expected },
    )
  other.close()
  // As the process of the command reports the last of them.
  const { status, err } = await svc(['ledger', 'check'], { DATABASE_URL: cases.at(-1)?.[0] ?? '' })
  assert.equal(status, 1)
  assert.match(err, /the database "missing" does not exist at .*: create it/)
  const wrongScheme = await svc(['ledger', 'check'], { DATABASE_URL: 'mysql://somewhere/svc' })
  assert.equal(wrongScheme.status, 78)
  assert.match(wrongScheme.err, /DATABASE_URL must begin with postgres: or postgresql:/)
})

it('reports a data folder that cannot be created', async () => {
  const { status, err } = await svc(['ledger', 'check'], {
    DATABASE_URL: '',
    SVC_DATA_DIR: join(SVC, 'data'),
  })
  assert.equal(status, 1)
  assert.match(err, /The data folder .* cannot be made \(a part of the path is a file\)\. Set SVC_DATA_DIR/)
})

it('doctor checks the database, the clock and the browser, and needs no keys in the sandbox', async () => {
  const SVC_DATA_DIR = dirname(CHROMIUM_CACHE)
  const { status, out } = await svc(['doctor'], { SVC_DATA_DIR })
  assert.equal(status, 0, out)
  assert.match(out, /^ok {6}the database responds, and its clock agrees$/m)
  assert.match(out, /^ok {6}Chromium starts with its sandbox and can open deliveries$/m)
  assert.match(out, /^ok {6}the sandbox processor needs no keys$/m)
  const away = await svc(['doctor'], {
    PROCESSOR: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
    STRIPE_API_URL: 'http://127.0.0.1:9',
    CHROMIUM_PATH: '/nonexistent',
    SVC_DATA_DIR,
  })
  assert.equal(away.status, 1)
  assert.match(away.out, /^FINDING Stripe at http:\/\/127.0.0.1:9 cannot be used/m)
  assert.match(
    away.out,
    /^FINDING Chromium does not start \(\/nonexistent is not a program .*over HTTP alone\. .*CHROMIUM_PATH$/m,
  )
})
