import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}` }

/** A folder of a user, in which the packed SDK is installed. */
export class Project {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async open(): Promise<Project> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-sdk-'))
    await run('npm', ['pack', '--silent', './packages/sdk', '--pack-destination', folder], { cwd: ROOT, env })
    await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}')
    const install = ['install', '--offline', '--silent', '--no-audit', '--no-fund', './svc-sdk-1.0.0.tgz']
    await run('npm', install, { cwd: folder, env })
    return new Project(folder)
  }

  get dist(): string {
    return join(this.folder, 'node_modules/@svc/sdk/dist')
  }

  /** Runs a program; `output` is all that it printed so far. */
  async start(code: string, variables: Record<string, string>, node = process.execPath): Promise<Program> {
    const file = join(this.folder, `program-${Math.random().toString(36).slice(2)}.mjs`)
    await writeFile(file, code)
    return new Program(node, file, variables)
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}

/** A program of a user as a process. */
export class Program {
  output = ''
  readonly #child
  readonly ended: Promise<number | null>

  constructor(node: string, file: string, variables: Record<string, string>) {
    const child = spawn(node, [file], {
      env: { PATH: process.env.PATH, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
    this.ended = new Promise(resolve => child.once('close', resolve))
    this.#child = child
  }

  /** The match once it is printed; throws what was printed instead after a minute, or when the program ends. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    let hasEnded = false
    void this.ended.then(() => (hasEnded = true))
    for (const deadline = Date.now() + 60_000; ;) {
      const wasEnded = hasEnded
      const found = pattern.exec(this.output)
      if (found) return found
      if (wasEnded || Date.now() > deadline) throw new Error(`not ${String(pattern)}: ${this.output}`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  async stop(): Promise<void> {
    this.#child.kill()
    await this.ended
  }
}

/**
 * Node 24, the node of the machine where that is another version (an operator may have 20), and what SVC_TEST_RUNTIMES
 * names: paths of further ones, such as Node 22, Deno or Bun, separated by colons.
 */
export async function nodes(): Promise<{ version: string; path: string }[]> {
  const versionOf = (path: string) => run(path, ['--version']).then(({ stdout }) => stdout.trim())
  const more = process.env.SVC_TEST_RUNTIMES?.split(':') ?? []
  const found = await Promise.all(
    [process.execPath, '/usr/bin/node', '/usr/local/bin/node', ...more].map(async path => ({
      path,
      version: await versionOf(path).catch(() => ''),
    })),
  )
  return [...new Map(found.filter(({ version }) => version).map(each => [each.version, each])).values()]
}
