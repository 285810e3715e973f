import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'

/** The user agent of test/fuzz. */
export const FUZZER = 'svc-fuzz'

/**
 * Notes every answer that a server in this process gave, as `METHOD path status`, in a file of the folder
 * SVC_TEST_ANSWERS; the runner compares them with the statuses that the OpenAPI document names.
 */
const folder = process.env.SVC_TEST_ANSWERS

if (folder) {
  const answers = new Set<string>()
  subscribe('http.server.response.finish', message => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    // What random requests are answered is no test of a status.
    if (request.headers['user-agent'] === FUZZER) return
    answers.add(`${request.method} ${request.url?.split('?')[0]} ${response.statusCode}`)
  })
  process.once('exit', () => appendFileSync(join(folder, `${process.pid}.txt`), [...answers, ''].join('\n')))
}
