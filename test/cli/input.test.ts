import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { sharedService, type TestService } from '#test'
import { Terminal } from './cli.ts'

const PASSWORD = 'correct horse battery'

/** What people and scripts give by mistake. */
suite('input of svc', () => {
  let service: TestService
  let terminal: Terminal
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())
  beforeEach(async () => {
    terminal = await Terminal.open(service.baseUrl)
    const email = `${randomBytes(6).toString('hex')}@example.com`
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

  test('stores the credentials of commands at the same time, and names a file that is not valid', async () => {
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
})
