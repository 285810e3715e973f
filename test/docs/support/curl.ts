import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** What a command line of curl sends. */
export interface CurlRequest {
  method: string
  url: string
  headers: [name: string, value: string][]
  body?: string | Buffer
  /** Ends with 22 if the answer is an error (`--fail-with-body`). */
  fails: boolean
  /** Shows the headers of the answer (`-i`). */
  showsHeaders: boolean
  /** Where the answer goes (`-o`). */
  output?: string
  /** Until it gives up (`--max-time`). */
  seconds?: number
}

/** Options without a value that change nothing here. */
const IGNORED = new Set(['-s', '-S', '-sS', '-N'])

/**
 * Reads the arguments of curl as far as the documentation uses them; any other option is an error. It stands for curl
 * where a machine has none.
 */
export async function readCurl(words: readonly string[], cwd: string): Promise<CurlRequest> {
  const request: CurlRequest = { method: '', url: '', headers: [], fails: false, showsHeaders: false }
  const left = [...words]
  const valueOf = (option: string): string => left.shift() ?? failure(`${option} has no value`)
  const options: Record<string, (option: string) => void | Promise<void>> = {
    '-X': option => void (request.method = valueOf(option)),
    '-H': option => {
      const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/.exec(valueOf(option)) ?? failure('no header')
      request.headers.push([name, value])
    },
    '-d': option => void (request.body = valueOf(option)),
    '--data-binary': async option => {
      const value = valueOf(option)
      request.body = value.startsWith('@') ? await readFile(resolve(cwd, value.slice(1))) : value
    },
    '-o': option => void (request.output = valueOf(option)),
    '-i': () => void (request.showsHeaders = true),
    '--fail-with-body': () => void (request.fails = true),
    '--max-time': option => void (request.seconds = Number(valueOf(option))),
  }
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (IGNORED.has(word)) continue
    const option = options[word]
    if (option) await option(word)
    else if (word.startsWith('-')) failure(`the option ${word} is not known here`)
    else if (request.url) failure(`two addresses: ${request.url} and ${word}`)
    else request.url = word
  }
  request.method ||= request.body === undefined ? 'GET' : 'POST'
  return request
}

function failure(text: string): never {
  throw new Error(`curl: ${text}`)
}

/** Sends the request as curl does: redirects are not followed, a body is a form unless a header says otherwise. */
export function sendCurl(
  { method, url, headers, body }: CurlRequest,
  signal?: AbortSignal,
): Promise<Response> {
  const sent = new Headers({ accept: '*/*' })
  if (body !== undefined) sent.set('content-type', 'application/x-www-form-urlencoded')
  for (const [name, value] of headers) sent.set(name, value)
  return fetch(url, {
    method,
    headers: sent,
    redirect: 'manual',
    // `fetch` refuses even an empty body of a GET.
    ...(body?.length ? { body: typeof body === 'string' ? body : new Uint8Array(body) } : {}),
    ...(signal ? { signal } : {}),
  })
}
