import assert from 'node:assert/strict'
import type { Run, SampleRunner } from './runner.ts'

const HELLO = /^Simulated answer of \S+\. The message was: Say hello\n?$/

interface Chat {
  id: string
  choices: { message: { content: string } }[]
}

const chat: Run = async ({ code }, runner) => {
  const { choices } = await runner.json<Chat>(code)
  assert.match(choices[0]?.message.content ?? '', HELLO)
}

/** The client that samples below the first one of a section use. */
const CLIENT = `import OpenAI from 'openai'
const client = new OpenAI({ baseURL: process.env.SVC_URL + '/v1', apiKey: process.env.ROUTING_KEY })
`

async function oneAnswer({ routing }: SampleRunner): Promise<string> {
  const answer = await routing.openai().chat.completions.create({
    model: 'auto',
    messages: [{ role: 'user', content: 'Say hello' }],
  })
  return answer.id
}

/** The samples about prompts. */
export const GATEWAY_SAMPLES: Readonly<Record<string, Run>> = {
  'docs/guides/prompts.md#One request': chat,
  'docs/guides/prompts.md#One request 2': async ({ code }, runner) =>
    assert.match(await runner.program(code), HELLO),
  'docs/guides/prompts.md#One request 3': async ({ code }, runner) =>
    assert.match(await runner.python(code), HELLO),
  'docs/guides/prompts.md#Which model answers': async ({ code }, runner) => {
    const route = await runner.json<{ model: string }>(code)
    assert.ok(route.model)
  },
  'docs/gateway.md#Send prompts': chat,
  'docs/gateway.md#Send prompts 2': async ({ code }, runner) =>
    assert.match(await runner.program(code), HELLO),
  'docs/gateway.md#Errors': async ({ code }, runner) => {
    const sample = JSON.parse(code) as { error: { code: string } }
    const error = (await runner.routing
      .openai()
      .chat.completions.create({
        model: 'svc/performance',
        max_tokens: 100_000,
        n: 8,
        messages: [{ role: 'user', content: 'Say hello' }],
      })
      .then(
        () => assert.fail('it has the balance'),
        (refusal: { status: number; error: object }) => refusal,
      )) as { status: number; error: Record<string, unknown> }
    assert.equal(error.status, 402)
    assert.deepEqual(
      { code: error.error.code, type: error.error.type },
      {
        code: sample.error.code,
        type: 'insufficient_quota',
      },
    )
    assert.deepEqual(Object.keys(sample.error).sort(), Object.keys(error.error).sort())
  },
  'docs/gateway.md#Models and prices': async ({ code }, runner) => {
    // The date of the sample passes some day.
    const soon = new Date(Date.now() + 30 * 86_400_000).toISOString()
    const dated = code.replace('2027-01-01T00:00:00Z', soon)
    assert.notEqual(dated, code)
    const answer = await runner.json<{ changed: unknown[]; rejected: unknown[] }>(dated)
    assert.deepEqual([answer.changed.length, answer.rejected.length], [1, 0], JSON.stringify(answer))
  },
  'docs/gateway.md#Usage and analytics': async ({ code }, runner) => {
    assert.match(await runner.shell(code), /"baselineModel":"claude-opus-5"/)
  },
  'docs/gateway.md#Outcomes': async ({ code }, runner) => {
    assert.match(await runner.shell(code, { GENERATION: await oneAnswer(runner) }), /"rating":"bad"/)
  },
  'docs/gateway.md#Routing keys': async ({ code }, runner) => {
    const { key } = await runner.json<{ key: string }>(code)
    assert.match(key, /^rk_/)
  },
  'docs/gateway.md#Messages': async ({ code }, runner) => {
    const output = await runner.program(`${code}console.log(message.type, message.content[0].type)`)
    assert.equal(output, 'message text')
  },
  'docs/gateway.md#Messages 2': async ({ code }, runner) =>
    assert.match(await runner.shell(code), /"type":"message"/),
  'docs/gateway.md#Responses': async ({ code }, runner) =>
    assert.match(
      await runner.program(code),
      /^Simulated answer of \S+\. The message was: Why is the sky blue\?/,
    ),
  'docs/gateway.md#Responses 2': async ({ code }, runner) =>
    assert.match(await runner.shell(code), /"object":"response"/),
  'docs/gateway.md#Embeddings': async ({ code }, runner) =>
    assert.equal(await runner.program(`${CLIENT}${code}console.log(data.length)`), '2'),
}
