import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertNoSecretIn, rememberSecret, SECRET_SETTING } from '../database/canary.ts'
import { readStartScript } from './start-script.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** As `npm start` has it: the code is compiled once for all processes. */
const COMPILED = process.env.NODE_COMPILE_CACHE ?? join(ROOT, 'node_modules/.cache/svc')

export interface ServerProcess {
  child: ChildProcess
  baseUrl: string
  /** All that it printed so far, both streams. */
  output(): string
  /** Sends a signal and waits for the end; returns the exit code, null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** The service, or a copy in `root`, as a process of its own, as `npm start` runs it; returns when it is ready. */
export async function startServerProcess(
  env: Record<string, string> & { PORT: string },
  root = ROOT,
): Promise<ServerProcess> {
  const script = readStartScript()
  const child = spawn(process.execPath, [...script.options, 'server/main.ts'], {
    cwd: root,
    env: {
      ...script.env,
      PATH: process.env.PATH,
      LOG_LEVEL: 'error',
      NODE_COMPILE_CACHE: COMPILED,
      // To unpack and try the browser takes seconds of processor time: the tests of the verifier do.
      CHROMIUM_PATH: '/nonexistent',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  // A test that fails must not leave its server behind, nor wait for it.
  child.unref()
  for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref(): void }).unref()
  const killChild = () => child.kill('SIGKILL')
  process.once('exit', killChild)
  child.once('exit', () => process.off('exit', killChild))
  const baseUrl = `http://127.0.0.1:${env.PORT}`
  for (const [name, value] of Object.entries(env)) if (SECRET_SETTING.test(name)) rememberSecret(value, name)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    child.kill(signal)
    const [code] = (await once(child, 'exit')) as [number | null]
    // The log only: the first admin's link is in the start message.
    assertNoSecretIn([
      [
        'the log',
        printed
          .split('\n')
          .filter(line => line.startsWith('{'))
          .join('\n'),
      ],
    ])
    return code
  }
  await untilReady(child, () => printed)
  return { child, baseUrl, output: () => printed, end }
}

/** A start takes a second; on a machine that does much else at the same time far longer. */
const START_MS = 120_000

async function untilReady(child: ChildProcess, printed: () => string): Promise<void> {
  const deadline = Date.now() + START_MS
  while (Date.now() < deadline) {
    // A signal, such as that of a failpoint, leaves no exit code.
    const ending = child.exitCode ?? child.signalCode
    if (ending !== null) throw new Error(`the server ended with ${ending}:\n${printed()}`)
    if (printed().includes('svc is ready')) return
    await sleep(10)
  }
  child.kill('SIGKILL')
  throw new Error(`the server was not ready in ${START_MS / 1000} s:\n${printed()}`)
}
