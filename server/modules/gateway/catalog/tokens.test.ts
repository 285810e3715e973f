import assert from 'node:assert/strict'
import process from 'node:process'
import { suite, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import fc from 'fast-check'
import type { ChatRequest } from '../core/chat.ts'
import { countText, countTokens, upperBoundTokens } from './tokens.ts'

const exact = (text: string) => encode(text, { disallowedSpecial: new Set() }).length
const asking = (content: ChatRequest['messages'][number]['content'], more: object = {}): ChatRequest => ({
  model: 'auto',
  messages: [{ role: 'user', content }],
  ...more,
})
const PROSE =
  'The lease is renewed by each flush, so that an instance which still works never loses it. Wo nichts eilt, wartet die Anfrage; 答えは短い。\n'

suite('token counting', () => {
  test('counts a text as the tokenizer of OpenAI does', () => {
    for (const text of [
      '',
      'hello world',
      PROSE,
      PROSE.repeat(20),
      '{"a": [1, 22, 333333], "b": "\u{1F600}"}',
    ])
      assert.equal(countText(text), exact(text), text)
  })

  test('counts any short text as the tokenizer of OpenAI does', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 32 }),
      fc.string({ unit: 'grapheme', maxLength: 32 }),
    )
    fc.assert(fc.property(anyText, text => assert.equal(countText(text), exact(text))))
  })

  test('keeps nothing of a text that was counted', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const nameOf = (number: number) =>
      String(number).replaceAll(/\d/g, digit => 'jqxzvwkfyu'.charAt(Number(digit)))
    const heapAfter = (texts: number): number => {
      for (let at = 0; at < texts; at++) countText(`${'word '.repeat(100_000)} unrepeatable${nameOf(at)}`)
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = heapAfter(1)
    const growth = heapAfter(100) - before
    assert.ok(growth < 4_000_000, `${growth} bytes`)
  })

  test('counts the names of special tokens as text', () => {
    assert.ok(countText('<|endoftext|>') > 1)
  })

  test('estimates a long text to within 5 % from samples', () => {
    const text = PROSE.repeat(400)
    const [counted, wanted] = [countText(text), exact(text)]
    assert.ok(Math.abs(counted - wanted) <= wanted / 20, `${counted} instead of ${wanted}`)
  })

  test('estimates a long conversation of different texts to within 15 %', () => {
    const code = 'export const after = (from: Date, ms: number): Date => new Date(from.getTime() + ms)\n'
    const messages = [PROSE.repeat(60), code.repeat(80), '{"id":4711,"total":"80.00"}'.repeat(100)].map(
      content => ({ role: 'user' as const, content }),
    )
    const wanted = messages.reduce((sum, { content }) => sum + exact(content), 0)
    const counted = countTokens({ model: 'auto', messages })
    assert.ok(Math.abs(counted - wanted) <= wanted * 0.15, `${counted} instead of ${wanted}`)
  })

  test('counts runs without spaces in pieces of nearly the same number of tokens', () => {
    for (const run of ['a', '漢', ' ', '=', 'xy', '/\n']) {
      const text = run.repeat(1000)
      // At most an additional token at the end of each piece of 32.
      assert.ok(Math.abs(countText(text) - exact(text)) <= text.length / 16, run)
    }
  })

  test('takes about as long for symbols between line ends as for words', () => {
    const timeOf = (unit: string) => {
      const text = unit.repeat(4096 / unit.length)
      const before = process.threadCpuUsage()
      for (let times = 0; times < 20; times++) countText(text)
      return process.threadCpuUsage(before).user
    }
    // The clock of a thread has steps of some milliseconds: a shorter time says nothing.
    const usual = Math.max(10_000, timeOf('to the end of a line\n'))
    for (const unit of ['/\n', '//\n', '//\r\n']) {
      const taken = timeOf(unit)
      assert.ok(taken < 10 * usual, `${JSON.stringify(unit)}: ${taken} us, words ${usual} us`)
    }
  })

  test('counts messages, tools and schemas, and an image at its allowance', () => {
    const plain = countTokens(asking('What is this?'))
    assert.equal(plain, 4 + exact('What is this?'))
    const image = {
      type: 'image_url' as const,
      image_url: { url: `data:image/png;base64,${'A'.repeat(90_000)}` },
    }
    assert.equal(countTokens(asking([{ type: 'text', text: 'What is this?' }, image])), plain + 1600)
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }]
    assert.equal(countTokens(asking('What is this?', { tools })), plain + exact(JSON.stringify(tools)))
    const schema = { type: 'json_schema', json_schema: { name: 'kind', schema: { type: 'object' } } }
    assert.equal(
      countTokens(asking('What is this?', { response_format: schema })),
      plain + exact(JSON.stringify(schema)),
    )
  })

  test('counts the tool calls of earlier answers', () => {
    const call = {
      id: 'call_1',
      type: 'function' as const,
      function: { name: 'look_up', arguments: '{"id":7}' },
    }
    const messages = [{ role: 'assistant' as const, content: null, tool_calls: [call] }]
    assert.equal(countTokens({ model: 'auto', messages }), 4 + exact(JSON.stringify([call])))
  })

  test('bounds the count of any prompt from above', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
    )
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 5 }), texts => {
        const request = {
          model: 'auto',
          messages: texts.map(content => ({ role: 'user' as const, content })),
        }
        assert.ok(countTokens(request) <= upperBoundTokens(request))
      }),
    )
  })

  test('bounds an image by more than any vendor counts, not by its bytes', () => {
    const url = `data:image/png;base64,${'A'.repeat(900_000)}`
    const bound = upperBoundTokens(asking([{ type: 'image_url', image_url: { url } }]))
    assert.ok(bound >= 5000 && bound < 6000, String(bound))
  })
})
