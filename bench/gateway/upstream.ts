/** A provider that answers at once: a process of its own. Prints its port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const MODEL = 'gpt-6-luna'
const WORDS = Array.from({ length: 20 }, (_, index) => `word${index} `)
const usage = { prompt_tokens: 42, completion_tokens: 20, total_tokens: 62 }
const identity = { id: 'chatcmpl-bench', created: 1_760_000_000, model: MODEL }

const whole = JSON.stringify({
  ...identity,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: WORDS.join('') },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage,
})

const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  `data: ${JSON.stringify({
    ...identity,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  })}\n\n`
const first = chunk({ role: 'assistant', content: '' })
const rest = WORDS.map(content => chunk({ content }))
const last = `${chunk({}, 'stop')}data: ${JSON.stringify({ ...identity, object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (text: string) => (body += text))
  request.on('end', () => {
    if (!body.includes('"stream":true')) {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(whole),
      })
      response.end(whole)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(first)
    // Four writes, as a quick provider sends them, in place of one for each token.
    for (let at = 0; at < rest.length; at += 5) response.write(rest.slice(at, at + 5).join(''))
    response.end(last)
  })
})
server.keepAliveTimeout = 600_000
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
