import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { publishAgent, registerHuman, fund, type ListedAgent, type Person, type TestService } from '#test'
import { GatewayTrial } from '../../support/gateway/gateway-trial.ts'
import type { Fence } from './fences.ts'
import { Python } from './python.ts'
import { runPrograms, startPrograms } from './typescript.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** The first admin of a test service. */
export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' }

type Parts = Pick<
  SampleRunner,
  'service' | 'folder' | 'buyer' | 'agent' | 'key' | 'routing' | 'adminToken'
> & {
  path: string
}

/** A reader with accounts, keys and an agent, who runs the samples as they are but for addresses and keys. */
export class SampleRunner {
  readonly service: TestService
  readonly folder: string
  readonly buyer: Person
  readonly agent: ListedAgent
  /** Account key of the agent's owner. */
  readonly key: string
  readonly routing: GatewayTrial
  readonly adminToken: string
  readonly #path: string
  #python: Promise<Python> | undefined
  #programs = 0

  private constructor(parts: Parts) {
    this.service = parts.service
    this.folder = parts.folder
    this.buyer = parts.buyer
    this.agent = parts.agent
    this.key = parts.key
    this.routing = parts.routing
    this.adminToken = parts.adminToken
    this.#path = parts.path
  }

  static async open(service: TestService): Promise<SampleRunner> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-samples-'))
    const [buyer, seller] = [await registerHuman(service), await registerHuman(service)]
    await fund(service, buyer, 200)
    const agent = await publishAgent(service, seller, { pricing: { model: 'fixed', amount: 5 } })
    const key = await service.http<{ apiKey: string }>('POST', '/api/v1/keys', {
      token: seller.token,
      body: { name: 'Samples' },
    })
    const admin = await service.http<{ accessToken: string }>('POST', '/auth/login', { body: ADMIN })
    const routing = await GatewayTrial.withKey(service, buyer)
    const path = await pathWithCurl(folder)
    const adminToken = admin.body.accessToken
    return new SampleRunner({
      service,
      folder,
      buyer,
      agent,
      key: key.body.apiKey,
      routing,
      adminToken,
      path,
    })
  }

  /** What the samples expect in the environment. */
  get variables(): Record<string, string> {
    return {
      SVC_URL: this.service.baseUrl,
      TOKEN: this.buyer.token,
      ACCESS_TOKEN: this.buyer.token,
      ADMIN_TOKEN: this.adminToken,
      ROUTING_KEY: this.routing.key,
      AGENT: this.agent.id,
    }
  }

  /** The sample with the address of the service, the keys and the folder of the project. */
  fill(code: string): string {
    return code
      .replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):3000/g, this.service.baseUrl)
      .replaceAll('sk_YOUR_KEY', this.key)
      .replaceAll('rk_YOUR_KEY', this.routing.key)
      .replaceAll('/path/to/svc', ROOT)
  }

  /** Starts bash with the sample; it leads a process group. */
  start(code: string, variables: Record<string, string> = {}): ChildProcess {
    return spawn('bash', ['-eu', '-o', 'pipefail', '-c', this.fill(code)], {
      cwd: this.folder,
      env: { PATH: this.#path, HOME: this.folder, ...this.variables, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
  }

  /** What a shell sample prints; throws if it fails. */
  async shell(code: string, variables: Record<string, string> = {}): Promise<string> {
    const bash = this.start(code, variables)
    const [out, errors] = [collect(bash.stdout), collect(bash.stderr)]
    const [status] = (await once(bash, 'close')) as [number]
    if (status !== 0) throw new Error(`bash ended with ${status}: ${out.text}${errors.text}`)
    return out.text
  }

  /** The same for a shell sample that prints one JSON value. */
  async json<T>(code: string, variables: Record<string, string> = {}): Promise<T> {
    return JSON.parse(await this.shell(code, variables)) as T
  }

  /** What a JavaScript or TypeScript sample prints. */
  async program(code: string, variables: Record<string, string> = {}): Promise<string> {
    const name = `program-${this.#programs++}.mts`
    await writeFile(join(this.folder, name), this.fill(code))
    const output = await runPrograms(this.folder, [name], { ...this.variables, ...variables })
    return output.replace(/\n?all ran\n$/, '')
  }

  /** Starts a program that serves until it is stopped; `output` is all that it printed so far. */
  async serve(code: string, variables: Record<string, string>) {
    const name = `program-${this.#programs++}.mts`
    await writeFile(join(this.folder, name), this.fill(code))
    const child = await startPrograms(this.folder, [name], variables, { serves: true })
    const printed = collect(child.stdout)
    return {
      get output() {
        return printed.text
      },
      stop: () => child.kill(),
    }
  }

  /** What a Python sample prints. */
  async python(code: string): Promise<string> {
    this.#python ??= Python.open()
    const { output, error } = await (
      await this.#python
    ).run({ code: this.fill(code), variables: this.variables })
    if (error) throw new Error(error)
    return output
  }

  async close(): Promise<void> {
    await (await this.#python)?.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** The search path for samples: with a program in place of curl where the machine has none. */
export async function pathWithCurl(folder: string): Promise<string> {
  const path = `${join(process.execPath, '..')}:${process.env.PATH ?? ''}`
  if (!spawnSync('curl', ['--version']).error) return path
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  const program = join(import.meta.dirname, 'curl-program.ts')
  await writeFile(join(bin, 'curl'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  await chmod(join(bin, 'curl'), 0o755)
  return `${bin}:${path}`
}

function collect(stream: ChildProcess['stdout']): { text: string } {
  const collected = { text: '' }
  stream?.on('data', (chunk: Buffer) => (collected.text += chunk.toString()))
  return collected
}

/** Runs one sample and asserts what the text around it promises. */
export type Run = (fence: Fence, runner: SampleRunner) => Promise<void>
