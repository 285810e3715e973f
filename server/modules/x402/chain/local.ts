import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '#platform/kernel/services'
import { networkOf } from './network.ts'

const HOST = '127.0.0.1'
/** The binary is inside an npm package, which exists for Linux on x64; elsewhere ANVIL_PATH names one. */
const PACKAGE = '@foundry-rs/anvil-linux-amd64/bin/anvil'
const TOKEN = join(import.meta.dirname, '../token/TestUSDC.json')
/** The process needs 40 ms; on a busy machine more. */
const PATIENCE_MS = 15_000

/** A test chain (anvil) on loopback with the test token at the address of USDC. Its state survives restarts. */
export interface LocalChain {
  url: string
  stop(): Promise<void>
}

export async function startLocalChain({ config, dataDir, log }: Services): Promise<LocalChain> {
  const { chainId, token } = networkOf(config)
  const port = await freePort()
  const url = `http://${HOST}:${port}`
  const child = spawn(
    config.ANVIL_PATH ?? createRequire(import.meta.url).resolve(PACKAGE),
    [
      '--silent',
      `--host=${HOST}`,
      `--port=${port}`,
      `--chain-id=${chainId}`,
      '--accounts=1',
      `--state=${join(dataDir, 'chain.json')}`,
      '--state-interval=60',
    ],
    { stdio: 'ignore' },
  )
  const failed = once(child, 'error').then(([cause]) => {
    throw new Error('the local chain does not start: set ANVIL_PATH to an anvil binary', { cause })
  })
  const ended = once(child, 'exit').then(() => undefined)
  await Promise.race([untilReady(url, child), failed])
  failed.catch((err: unknown) => log.error({ err }, 'local chain'))
  const { deployedBytecode } = JSON.parse(await readFile(TOKEN, 'utf8')) as { deployedBytecode: string }
  await request(url, 'anvil_setCode', [token, deployedBytecode])
  return {
    url,
    async stop() {
      // It writes its state before it ends.
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const ready = await request(url, 'eth_chainId', []).then(
      () => true,
      () => false,
    )
    if (ready) return
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`the local chain ended or did not answer (exit code ${child.exitCode})`)
    await sleep(20)
  }
}

/** One JSON-RPC call, for what only a test chain knows. */
export async function request(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
