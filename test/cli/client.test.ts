import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, afterEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'
import { Svc } from '#sdk'
import { freePort, publishAgent, registerHuman, sharedService, type TestService } from '#test'
import { clientCommands } from '../../bin/client/index.ts'
import { findCommand, parse, UsageError } from '../../bin/commands/command.ts'
import { help } from '../../bin/commands/help.ts'
import { Terminal } from './cli.ts'

interface Profile {
  session: { refreshToken: string; expiresAt: number }
}

const PASSWORD = 'correct horse battery'
const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`

suite('svc as a client', () => {
  let service: TestService
  let terminal: Terminal
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())
  beforeEach(async () => {
    terminal = await Terminal.open(service.baseUrl)
  })
  afterEach(() => terminal.close())

  const register = (email = newEmail()) =>
    terminal.json<{ userId: string }>(
      ['register', '--email', email, '--name', 'Ada', '--password-stdin'],
      PASSWORD,
    )

  test('svc hire --watch --release ends in RELEASED', async () => {
    await register()
    await terminal.json(['wallet', 'fund', '150'])
    const { slug, apiKey } = await publishAgent(service, await registerHuman(service))
    const stop = new AbortController()
    const listening = (await new Svc({ baseUrl: service.baseUrl, apiKey }).agent(slug))
      .on('offer', offer => offer.accept())
      .on('deal', deal => deal.deliver({ result: `Done: ${deal.requestedService}` }))
      .listen({ signal: stop.signal })
    const deal = await terminal.json<{ escrow: { status: string; released: string } }>([
      'hire',
      slug,
      'Release notes of version 2',
      '--budget',
      '100',
      '--watch',
      '--release',
    ])
    stop.abort()
    await listening
    assert.deepEqual([deal.escrow.status, deal.escrow.released], ['RELEASED', '100.00'])
    const [wallet] = await terminal.json<{ balance: string }[]>(['wallet'])
    assert.equal(wallet?.balance, '50.00')
  })

  for (const [guide, expected] of [
    ['cli-quick-start', ['RELEASED', '4.00']],
    ['curl-quick-start', ['ACTIVE', '20.00', 'Say hello', 'ACCEPTED', 'VERIFIED', 'RELEASED', '4.00']],
  ] as const)
    test(`docs/guides/${guide}.md goes from a new account to a paid deal as written`, async () => {
      const document = await readFile(join(import.meta.dirname, `../../docs/guides/${guide}.md`), 'utf8')
      const blocks = [...document.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block)
      const script = blocks.join('').replaceAll('http://127.0.0.1:3000', service.baseUrl)
      await writeFile(join(terminal.folder, 'start.sh'), `set -e\n${script}`)
      const { status, out, err } = await terminal.start(['start.sh'], { file: 'bash' }).ended
      assert.equal(status, 0, err + out)
      assert.deepEqual(out.trim().split('\n').slice(-expected.length), expected)
      if (guide === 'cli-quick-start') assert.match(out, /negotiation\.created[\s\S]*deal\.released/)
    })

  test('stores the credential for its owner alone, and sends it to its service only', async () => {
    const email = newEmail()
    await register(email)
    const file = join(terminal.folder, 'credentials.json')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.doesNotMatch(await readFile(file, 'utf8'), new RegExp(PASSWORD))
    const elsewhere = await terminal.svc(['api', 'GET', '/users/me'], {
      env: { SVC_URL: service.baseUrl.replace('127.0.0.1', 'localhost') },
    })
    assert.equal(elsewhere.status, 77)
    assert.match(elsewhere.err, /Sign in with: svc login/)
    await terminal.json(['logout'])
    const unknown = await terminal.svc(['logout'])
    assert.deepEqual([unknown.status, unknown.out], [77, ''])
    assert.match(unknown.err, /there is no profile "default"/)
    assert.equal((await terminal.svc(['api', 'GET', '/users/me'])).status, 77)
    assert.equal((await terminal.svc(['wallet', 'fund', '20'])).status, 77)
    const login = ['login', '--email', email, '--password-stdin']
    assert.equal((await terminal.svc(login, { input: 'wrong password' })).status, 77)
    await terminal.json(login, PASSWORD)
    assert.equal((await terminal.svc(['api', 'GET', '/users/me'])).status, 0)
  })

  test('svc logout removes a profile whose session has ended, and ends one beside SVC_API_KEY', async () => {
    await register()
    const file = join(terminal.folder, 'credentials.json')
    const read = async () => JSON.parse(await readFile(file, 'utf8')) as { default?: Profile }
    const { default: first } = await read()
    assert.ok(first)
    const post = (path: string, refreshToken: string) =>
      service.http('POST', path, { body: { refreshToken } })
    await post('/auth/logout', first.session.refreshToken)
    first.session.expiresAt = 0
    await writeFile(file, JSON.stringify({ default: first }))
    const ended = await terminal.svc(['logout'])
    assert.deepEqual([ended.status, await read()], [0, {}], ended.err)
    await register()
    const { default: second } = await read()
    assert.ok(second)
    assert.equal(
      (await terminal.svc(['logout'], { env: { SVC_API_KEY: 'sk_of_another_account' } })).status,
      0,
    )
    assert.equal((await post('/auth/refresh', second.session.refreshToken)).status, 401)
  })

  test('commands at the same time renew an ended session once', async () => {
    await register()
    const file = join(terminal.folder, 'credentials.json')
    const stored = JSON.parse(await readFile(file, 'utf8')) as { default: { session: { expiresAt: number } } }
    stored.default.session.expiresAt = 0
    await writeFile(file, JSON.stringify(stored))
    const ended = await Promise.all(Array.from({ length: 4 }, () => terminal.svc(['wallet', '--json'])))
    assert.deepEqual(
      ended.map(({ status }) => status),
      [0, 0, 0, 0],
      ended.map(({ err }) => err).join('\n'),
    )
  })

  test('a lock of a command that was killed is removed, one of another machine is waited for', async () => {
    await register()
    const lock = join(terminal.folder, 'credentials.json.lock')
    const { pid } = spawnSync('true')
    const inAnHour = new Date(Date.now() + 3_600_000)
    const leave = async (host: string) => {
      await writeFile(lock, `${host} ${pid}`)
      await utimes(lock, inAnHour, inAnHour)
    }
    await leave(hostname())
    await register()
    await leave('elsewhere.example')
    const waiting = register()
    assert.equal(await Promise.race([waiting, sleep(2000, 'waits')]), 'waits')
    await rm(lock)
    await waiting
  })

  test('says what to do about an error, and ends with its status', async () => {
    const { status, err } = await terminal.svc(['deals', '--profile', 'work'])
    assert.deepEqual([status, /Sign in with: svc login --profile work\n/.test(err)], [77, true])
    const url = `http://127.0.0.1:${await freePort()}`
    const away = await terminal.svc(['agents', 'search'], { env: { SVC_URL: url } })
    assert.equal(away.status, 69)
    assert.match(away.err, /ECONNREFUSED[\s\S]*SVC_URL sets its address/)
    const unpriced = await terminal.svc(['hire', 'scribe', 'task'])
    assert.deepEqual([unpriced.status, /--budget is missing/.test(unpriced.err)], [64, true])
    // Before anything is sent, each ends as that one does.
    for (const words of [
      ['hire', 'scribe', 'task', '--budget', 'much'],
      ['hire', 'scribe'],
      ['agents', 'search', '--url', 'localhost:3000'],
      ['wallet', 'fund', '0x10'],
      ['deals', '--nonsense'],
      ['trigger', 'deal.nothing', 'scribe'],
    ]) {
      const command = findCommand(clientCommands, words) ?? assert.fail(words.join(' '))
      const given = words.slice(command.name.split(' ').length)
      await assert.rejects(async () => command.run(given, parse(command, given)), UsageError, words.join(' '))
    }
    assert.equal((await terminal.svc(['login', '--email', 'ada@example.com'])).status, 64)
    await register()
    const missing = await terminal.svc(['deals', 'show', 'unknown'])
    assert.notEqual(missing.status, 0)
    assert.match(missing.err, /^svc deals show: Negotiation not found/)
  })

  test('creates, lists, rotates and revokes keys; prints neither colors nor control characters', async () => {
    await register()
    const created = await terminal.json<{ id: string; apiKey: string }>([
      'keys',
      'create',
      'Nightly',
      '--scopes',
      'agent:read',
    ])
    assert.match(created.apiKey, /^sk_/)
    await terminal.json(['keys', 'rotate', created.id])
    const { out } = await terminal.svc(['keys'])
    assert.match(out, /^ID +NAME +STATUS[\s\S]*Nightly +ACTIVE +agent:read/)
    assert.ok(!out.includes('\u001b'))
    assert.equal((await terminal.json<{ status: string }>(['keys', 'revoke', created.id])).status, 'REVOKED')
    const found = await terminal.svc(['login', '--key-stdin', '--profile', 'other'], {
      input: created.apiKey,
    })
    assert.equal(found.status, 77)
  })

  test('every command has an example and a help page', async () => {
    for (const command of clientCommands) assert.ok(command.examples?.length, command.name)
    const { status, out } = await terminal.svc(['hire', '--help'])
    assert.equal(status, 0)
    assert.match(out, /^Usage: svc hire SLUG TASK \[options\]/)
    assert.match(out, /--budget USD +The most that it may cost/)
    assert.match(out, /Examples:\n {2}svc hire scribe/)
    const all = help(clientCommands, [])
    for (const { name } of clientCommands) assert.ok(all.includes(`svc ${name}`), name)
  })

  test('completes commands and options in bash, and in zsh and fish where they are', async t => {
    const { out } = await terminal.svc(['completion', 'bash'])
    await writeFile(join(terminal.folder, 'svc.bash'), out)
    const complete = (...words: string[]): string[] => {
      const script = `source svc.bash; COMP_WORDS=(${['svc', ...words].map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout } = spawnSync('bash', ['-c', script], { cwd: terminal.folder, encoding: 'utf8' })
      return stdout.trim().split('\n')
    }
    assert.deepEqual(complete('hi'), ['hire'])
    assert.deepEqual(complete('agents', ''), ['search', 'list', 'create', 'publish'])
    assert.deepEqual(complete('hire', 'scribe', 'task', '--bu'), ['--budget'])
    assert.deepEqual(complete('deals', 'show', '--profile', 'x', '--js'), ['--json'])
    for (const shell of ['zsh', 'fish']) {
      const script = await terminal.svc(['completion', shell])
      assert.match(script.out, /agents[\s\S]*publish/)
      const { error, status, stderr } = spawnSync(shell, ['-n'], { input: script.out, encoding: 'utf8' })
      if (error) t.diagnostic(`${shell} is not installed: its script is not checked`)
      else assert.equal(status, 0, stderr)
    }
  })
})
