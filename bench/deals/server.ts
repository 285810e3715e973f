import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { freePort, readStartScript } from '#test'
import { ADMIN } from './players.ts'

export interface Server {
  baseUrl: string
  pid: number
  stop(): Promise<void>
}

/** The service as a process of its own, as `npm start` runs it; `profile` is the folder of its CPU profile, `env` adds settings. */
export async function startServer(
  url: string,
  dataDir: string,
  profile?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const port = await freePort()
  const script = readStartScript()
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []
  const child = spawn(process.execPath, [...script.options, ...profiling, 'server/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      ...script.env,
      PATH: process.env.PATH,
      LOG_LEVEL: 'error',
      PORT: String(port),
      DATABASE_URL: url,
      SVC_DATA_DIR: dataDir,
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      ...env,
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  await new Promise<void>((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the service ended with ${code}`)))
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('svc is ready')) resolve()
    })
  })
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
