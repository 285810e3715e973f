import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { ARGS, installChromium, LAUNCH_MS, launchError, type ChromiumOptions } from './chromium.ts'

/** Length of the retained end of the browser's output. */
const LOG_MAX = 16_384

/**
 * Unpacks the browser, starts it with its sandbox and ends it at once, without the automation library, which takes 50 MB
 * of this process. Throws if the browser cannot run here.
 */
export async function probeChromium(options: ChromiumOptions, signal: AbortSignal): Promise<void> {
  const { executablePath, env } = await installChromium(options)
  const profile = await mkdtemp(join(tmpdir(), 'svc-chromium-'))
  try {
    await startAndClose(executablePath, { args: [...ARGS, `--user-data-dir=${profile}`], env, signal })
  } finally {
    await rm(profile, { recursive: true, force: true })
  }
}

async function startAndClose(
  path: string,
  { args, env, signal }: { args: string[]; env: Record<string, string>; signal: AbortSignal },
): Promise<void> {
  const browser = spawn(path, [...args, '--headless', '--remote-debugging-pipe', '--no-startup-window'], {
    env,
    signal,
    timeout: LAUNCH_MS,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  let log = ''
  browser.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-LOG_MAX)
  })
  const commands = browser.stdio[3] as Writable
  // A browser that ends before it reads the command closes the pipe.
  commands.on('error', () => undefined)
  commands.write('{"id":1,"method":"Browser.close"}\0')
  const [status] = (await once(browser, 'close')) as [number | null]
  if (status !== 0) throw new Error(launchError(log) || `it ended with status ${status}`)
}
