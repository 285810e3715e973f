import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { readCurl, type CurlRequest } from './curl.ts'

/** Ends the arguments of one call; each argument ends with a zero byte. */
const END = '\u0001'

/**
 * The requests of shell samples: bash reads them, with a function in place of curl that only writes down its arguments, so
 * that hundreds of them take one process.
 */
export async function requestsOf(samples: readonly string[], cwd: string): Promise<CurlRequest[][]> {
  const script = [
    `curl() { printf '%s\\0' "$@"; printf '\\001\\0'; }`,
    ...samples.map(sample => `${sample}\nprintf '\\002\\0'`),
  ].join('\n')
  const bash = spawn('bash', ['-eu'], {
    cwd,
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  bash.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  bash.stdin.end(script)
  const [status] = (await once(bash, 'close')) as [number]
  if (status !== 0) throw new Error(`bash ended with ${status}`)
  const calls = Buffer.concat(chunks).toString().split('\u0002\0').slice(0, -1)
  return Promise.all(
    calls.map(call =>
      Promise.all(
        call
          .split(`${END}\0`)
          .slice(0, -1)
          .map(words => readCurl(words.split('\0').slice(0, -1), cwd)),
      ),
    ),
  )
}
