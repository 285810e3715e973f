import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '#test'
import { LeanClient } from '../deals/client.ts'
import { startServer, type Server } from '../deals/server.ts'
import type { Target } from './load.ts'

const PORTKEY = '1.15.2'
/** Streaming fails with a later one. */
const HONO_SERVER = '1.3.3'
const MODEL = 'gpt-6-luna'
const BODY = {
  model: MODEL,
  max_tokens: 300,
  messages: [
    { role: 'system', content: 'You are a careful assistant who answers in one sentence.' },
    { role: 'user', content: 'Explain in one sentence why the sky is blue, for a reader of ten years.' },
  ],
}

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Starts a script of this folder, which prints its port. */
async function startScript(name: string, argument = ''): Promise<{ port: number; pid: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, name), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(Number(text)))
    child.once('exit', code => reject(new Error(`${name} ended with ${code}`)))
  })
  return { port, pid: child.pid ?? 0 }
}

export async function startUpstream(): Promise<Target> {
  const { port, pid } = await startScript('upstream.ts')
  return { name: 'direct', baseUrl: `http://127.0.0.1:${port}`, headers: '', body: BODY, pid }
}

export async function startProxy(upstream: Target): Promise<Target> {
  const { port, pid } = await startScript('proxy.ts', upstream.baseUrl)
  return { ...upstream, name: 'bare proxy', baseUrl: `http://127.0.0.1:${port}`, pid }
}

/** Installs the peer with npm, once, outside the dependencies of the project. */
export async function startPortkey(upstream: Target): Promise<Target> {
  const folder = join(import.meta.dirname, '../../node_modules/.cache/svc-bench-portkey')
  const script = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  await access(script).catch(async () => {
    await mkdir(folder, { recursive: true })
    const project = { private: true, overrides: { '@hono/node-server': HONO_SERVER } }
    await writeFile(join(folder, 'package.json'), JSON.stringify(project))
    const install = ['install', '--ignore-scripts', `@portkey-ai/gateway@${PORTKEY}`]
    await promisify(execFile)('npm', install, { cwd: folder })
  })
  const port = await freePort()
  const child = spawn(process.execPath, [script, `--port=${port}`, '--headless'], { stdio: 'ignore' })
  children.add(child)
  const target = {
    name: 'portkey',
    baseUrl: `http://127.0.0.1:${port}`,
    headers: `Authorization: Bearer sk-bench\r\nx-portkey-provider: openai\r\nx-portkey-custom-host: ${upstream.baseUrl}/v1\r\n`,
    body: BODY,
    pid: child.pid ?? 0,
  }
  await untilReady(port)
  return target
}

async function untilReady(port: number): Promise<void> {
  for (let n = 0; n < 100; n++) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).catch(() => null)
    if (answered) return
    await sleep(100)
  }
  throw new Error('the peer did not start in 10 s')
}

/** The service with a routing key and a routing balance of real money: every request is reserved, charged and recorded. */
export async function startGateway(
  upstream: Target,
  { url, dataDir, profile }: { url: string; dataDir: string; profile?: string },
): Promise<Target & { server: Server }> {
  const server = await startServer(url, dataDir, profile, {
    OPENAI_API_KEY: 'sk-bench',
    OPENAI_BASE_URL: `${upstream.baseUrl}/v1`,
  })
  const client = new LeanClient(server.baseUrl)
  const post = async (path: string, headers: string, body: object) => {
    const { status, body: answer } = await client.post(path, headers, body)
    if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`)
    return answer
  }
  const registered = await post('/auth/register', '', {
    email: `bench-${Date.now()}@example.com`,
    displayName: 'Bench',
    password: 'correct horse battery staple',
  })
  const bearer = `Authorization: Bearer ${String(registered.accessToken)}\r\n`
  const { id } = registered.user as { id: string }
  const wallet = await client.get(`/wallets/user/${id}`, bearer)
  await post(`/wallets/${String(wallet.body.id)}/fund`, bearer, {
    amount: 10_000,
    currency: 'USD',
    rail: 'card',
    paymentMethodId: 'pm_card_visa',
  })
  await post('/v1/wallet/topup', bearer, { amount: 9_000 })
  const key = await post('/v1/auth/keys', bearer, { name: 'Bench' })
  client.close()
  return {
    name: 'gateway',
    baseUrl: server.baseUrl,
    headers: `Authorization: Bearer ${String(key.key)}\r\n`,
    body: BODY,
    pid: server.pid,
    server,
  }
}
