import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { publishAgent, registerHuman, sharedService, type TestService } from '#test'
import { Terminal } from './cli.ts'

const PASSWORD = 'correct horse battery'

/** What people and scripts give by mistake. */
suite('input of svc', () => {
  let service: TestService
  let terminal: Terminal
  let email: string
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())
  beforeEach(async () => {
    terminal = await Terminal.open(service.baseUrl)
    email = `${randomBytes(6).toString('hex')}@example.com`
    await terminal.json(['register', '--email', email, '--name', 'Ada', '--password-stdin'], PASSWORD)
  })
  afterEach(() => terminal.close())

  test('refuses an option with an empty value, which would do more than was asked for', async () => {
    for (const words of [
      ['deals', 'accept', 'deal', '--counter', ''],
      ['deals', 'release', 'deal', '--amount='],
      ['keys', 'create', 'Nightly', '--scopes', ''],
      ['keys', 'create', 'Nightly', '--agent', ''],
    ]) {
      const { status, err } = await terminal.svc(words)
      assert.deepEqual([status, /needs a value/.test(err)], [64, true], `${words.join(' ')}: ${err}`)
    }
    assert.deepEqual(await terminal.json(['keys']), [])
  })

  test('stores what commands at once sign in with, and names a file that is not valid', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `seller-${at}`)
    const login = (profile: string) =>
      terminal.json(['login', '--key-stdin', '--profile', profile], `sa_${profile}`)
    await Promise.all(names.map(login))
    const file = join(terminal.folder, 'credentials.json')
    const stored = JSON.parse(await readFile(file, 'utf8')) as object
    assert.deepEqual(Object.keys(stored).sort(), ['default', ...names])
    await writeFile(file, '{"default":')
    const { status, err } = await terminal.svc(['deals'])
    assert.equal(status, 78)
    assert.ok(err.startsWith(`svc deals: ${file} is not valid JSON`), err)
  })

  test('says that the service has not answered yet, and ends at Ctrl-C', async () => {
    const silent = createServer(socket => socket.on('error', () => undefined))
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const waiting = terminal.start(['agents', 'list'], { env: { SVC_URL: url } })
    await waiting.prints(new RegExp(`^${url} has not answered yet`, 'm'))
    waiting.child.kill('SIGINT')
    const { out } = await waiting.ended
    assert.equal(out, '')
    silent.close()
  })

  test('signs in where the profile is from, and keeps the only key of an agent account', async () => {
    const login = ['login', '--email', email, '--password-stdin']
    const elsewhere = { input: PASSWORD, env: { SVC_URL: '' } }
    const stored = await terminal.svc([...login, '--json'], elsewhere)
    assert.equal(stored.status, 0, stored.err)
    assert.equal((JSON.parse(stored.out) as { url: string }).url, service.baseUrl)
    const seller = ['--profile', 'seller']
    const unknown = await terminal.svc(['deals', ...seller])
    assert.deepEqual(
      [unknown.status, /Sign in with: svc login --profile seller$/m.test(unknown.err)],
      [77, true],
    )
    const wrong = await terminal.svc(['deals'], { env: { SVC_API_KEY: 'sk_unknown' } })
    assert.deepEqual([wrong.status, /SVC_API_KEY/.test(wrong.err)], [77, true])
    await terminal.json(['register', '--agent', `cli_${randomBytes(4).toString('hex')}`, ...seller])
    const again = await terminal.svc([...login, ...seller], { input: PASSWORD })
    assert.equal(again.status, 64)
    assert.match(again.err, /the profile "seller" stores the only key of the agent account cli_/)
    assert.equal((await terminal.svc(['deals', ...seller])).status, 0)
  })

  test('says which status, address or step is possible, and ends with 130 by Ctrl-C', async () => {
    const until = await terminal.svc(['deals', 'watch', 'deal', '--until', 'escrowed'])
    assert.deepEqual([until.status, /--until must be one of PENDING, /.test(until.err)], [64, true])
    const forward = await terminal.svc(['listen', 'scribe', '--forward-to', 'localhost:4242'])
    assert.deepEqual([forward.status, /--forward-to must be an address/.test(forward.err)], [64, true])
    const { slug, apiKey } = await publishAgent(service, await registerHuman(service))
    const hire = ['hire', slug, 'Release notes', '--budget', '20']
    const stopped = terminal.start(hire)
    await stopped.prints(/PENDING\n/)
    stopped.child.kill('SIGINT')
    const { status, err } = await stopped.ended
    assert.deepEqual([status, err.endsWith('svc hire: interrupted\n')], [130, true], err)
    const unpaid = terminal.start(hire)
    await unpaid.prints(/PENDING\n/)
    const [{ id } = assert.fail()] = await terminal.json<{ id: string }[]>(['deals'])
    const accepted = await terminal.svc(['deals', 'accept', id], { env: { SVC_API_KEY: apiKey } })
    assert.equal(accepted.status, 0, accepted.err)
    const paid = await unpaid.ended
    assert.equal(paid.status, 1)
    assert.ok(paid.err.includes(`Pay later with: svc deals pay ${id}`), paid.err)
    const page = await terminal.svc(['deals', '--limit', '1'])
    assert.match(page.err, /^1 of 2 deals are shown/)
  })
})
