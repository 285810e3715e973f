import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { randomBytes } from 'node:crypto'
import { publishAgent, registerHuman, sharedService, type TestService } from '#test'
import { Terminal } from './cli.ts'
import { Screen } from './pty.ts'

const PASSWORD = 'correct horse battery'
const CONTROL = '\u0003'
const ESCAPE = '\u001b'
/** SGR sequences: color and weight. */
const COLOR = new RegExp(`${ESCAPE}\\[\\d[\\d;]*m`)

/** `svc` on a pseudo-terminal, as a person sees it. */
suite('svc on a terminal', () => {
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

  const screens: Screen[] = []
  const open = (words: string[], options?: Parameters<typeof Screen.open>[2]) => {
    const screen = Screen.open(terminal, words, options)
    screens.push(screen)
    return screen
  }
  afterEach(() => {
    for (const screen of screens.splice(0)) screen.close()
  })
  const onScreen = async (words: string[], env: Record<string, string> = {}): Promise<string> => {
    const screen = open(words, { env })
    assert.equal(await screen.ended, 0, screen.text)
    return screen.text
  }

  test('writes colors on a terminal, and none elsewhere, with NO_COLOR or where TERM is dumb', async () => {
    const words = ['keys', 'create', 'Nightly']
    assert.match(await onScreen(words), COLOR)
    assert.match(await onScreen(['keys']), COLOR)
    for (const [name, value] of [
      ['NO_COLOR', '1'],
      ['TERM', 'dumb'],
    ] as const)
      assert.doesNotMatch(await onScreen(['keys'], { [name]: value }), COLOR, name)
    const piped = await terminal.svc(['keys'])
    assert.doesNotMatch(piped.out + piped.err, COLOR)
    assert.doesNotMatch(await onScreen(['keys', '--json']), COLOR)
  })

  test('asks for the password without showing it, and signs in', async () => {
    await terminal.json(['logout'])
    const screen = open(['login'])
    // The last sequence moves the cursor behind the question.
    await screen.shows(new RegExp(`Email: ${ESCAPE}\\[8G$`))
    screen.type(`${email}\r`)
    await screen.shows(/Password: $/)
    screen.type(`${PASSWORD}\r`)
    assert.equal(await screen.ended, 0, screen.text)
    assert.match(screen.text, /Email: [\s\S]*Password: \r?\n[\s\S]*signed in/)
    assert.ok(!screen.text.includes(PASSWORD))
    assert.equal((await terminal.svc(['wallet'])).status, 0)
  })

  test('ends at a prompt with Ctrl-C, without a stack trace', async () => {
    await terminal.json(['logout'])
    const screen = open(['login', '--email', email])
    await screen.shows(/Password: $/)
    screen.type(CONTROL)
    assert.equal(await screen.ended, 130, screen.text)
    assert.doesNotMatch(screen.text, /\bat |Warning/)
  })

  test('shows the progress of an offer in one line, and clears it; a pipe gets plain lines', async () => {
    await terminal.json(['wallet', 'fund', '150'])
    const { slug } = await publishAgent(service, await registerHuman(service))
    const words = ['hire', slug, 'Release notes', '--budget', '20']
    const screen = open(words)
    // Its time began before the offer was made: on a slow machine the first second that it shows is a later one.
    await screen.shows(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \S+: PENDING (\d+) s[\s\S]*PENDING (?!\1 )\d+ s/)
    screen.type(CONTROL)
    assert.notEqual(await screen.ended, 0)
    const drawn = screen.text.split('\r\u001b[2K').filter(line => line.includes('PENDING'))
    assert.ok(drawn.length > 1)
    assert.ok(drawn.slice(0, -1).every(line => line.length < 80))
    assert.match(screen.text, /The offer stays open: svc deals show /)
    const piped = terminal.start(words)
    await piped.prints(/PENDING\n/)
    piped.child.kill('SIGINT')
    const { err } = await piped.ended
    assert.ok(!/[⠋⠙⠹\r]/.test(err) && !err.includes(ESCAPE), err)
  })

  test('completes a command with the tab key in bash', async () => {
    const { out } = await terminal.svc(['completion', 'bash'])
    await writeFile(join(terminal.folder, 'svc.bash'), out)
    const shell = open(['--norc', '--noprofile', '-i'], { file: 'bash', env: { PS1: '> ' } })
    await shell.shows(/> $/)
    shell.type('source svc.bash\r')
    await shell.shows(/svc\.bash\r\n[\s\S]*> $/)
    shell.type('svc agents sea\t')
    await shell.shows(/svc agents search $/)
    shell.type('--he\t')
    await shell.shows(/--help $/)
    shell.type('\r')
    await shell.shows(/Usage: svc agents search/)
    shell.type('exit\r')
    assert.equal(await shell.ended, 0)
  })
})
