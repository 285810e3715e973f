import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'

/** An image of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)

/** A server whose every hit is counted. */
export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ server: Server; port: number; hits: string[] }> {
  const hits: string[] = []
  const server = createServer((request, response) => {
    hits.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port, hits }
}

export async function until(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 30_000; !holds(); await new Promise(resolve => setTimeout(resolve, 20)))
    assert.ok(Date.now() < deadline, 'it did not come to be')
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

export function chromiums(folder: string): { pid: number; command: string; status: string }[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return command.startsWith(folder)
          ? [{ pid: Number(pid), command, status: readFileSync(`/proc/${pid}/status`, 'utf8') }]
          : []
      } catch {
        return []
      }
    })
}
