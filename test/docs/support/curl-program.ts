// Stands for curl on a machine without it: the options of the documentation.
import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { readCurl, sendCurl } from './curl.ts'

const request = await readCurl(process.argv.slice(2), process.cwd())
const signal = request.seconds === undefined ? undefined : AbortSignal.timeout(request.seconds * 1000)
try {
  const response = await sendCurl(request, signal)
  if (request.showsHeaders) {
    process.stdout.write(`HTTP/1.1 ${response.status}\r\n`)
    for (const [name, value] of response.headers) process.stdout.write(`${name}: ${value}\r\n`)
    process.stdout.write('\r\n')
  }
  if (request.output) await writeFile(request.output, new Uint8Array(await response.arrayBuffer()))
  else for await (const chunk of response.body ?? []) process.stdout.write(chunk)
  process.exitCode = request.fails && !response.ok ? 22 : 0
} catch (error) {
  process.stderr.write(`curl: ${String(error)}\n`)
  process.exitCode = signal?.aborted ? 28 : 7
}
