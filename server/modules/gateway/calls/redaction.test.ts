import assert from 'node:assert/strict'
import process from 'node:process'
import { test } from 'node:test'
import type { ChatMessage } from '../core/chat.ts'
import { redactRequest, redactText } from './redaction.ts'

const redactMessages = (messages: ChatMessage[]) => redactRequest({ model: 'auto', messages }).messages
const CARD = '4111111111111111'

test('replaces personal data by the name of its form', () => {
  for (const [text, redacted] of [
    ['ada.lovelace+x@mail.example.co.uk wrote', '[EMAIL] wrote'],
    ['DE89 3704 0044 0532 0130 00', '[IBAN]'],
    ['card 4111-1111-1111-1111.', 'card [CARD].'],
    ['SSN 123-45-6789', 'SSN [SSN]'],
    ['from 192.168.0.17', 'from [IP]'],
    ['call +1 (415) 555-2671 now', 'call [PHONE] now'],
    ['call (415) 555-2671', 'call [PHONE]'],
    ['call +49 30 901820, or +4930901820', 'call [PHONE], or [PHONE]'],
    [`${'a'.repeat(70)}@example.com wrote`, '[EMAIL] wrote'],
  ] as const)
    assert.equal(redactText(text), redacted)
})

test('takes no text much longer than another', () => {
  const time = (unit: string): number => {
    const text = unit.repeat(60_000 / unit.length)
    const times = [1, 2, 3].map(() => {
      const before = process.threadCpuUsage()
      redactText(text)
      const { user, system } = process.threadCpuUsage(before)
      return user + system
    })
    return Math.min(...times)
  }
  // The clock of a thread has steps of some milliseconds.
  const usual = Math.max(time('some words of a usual text. '), 2000)
  for (const unit of [
    ` +${'1'.repeat(28)}`,
    '+1-1-1-1-1-1',
    'a'.repeat(1000),
    'a.b.c.d@',
    '1 1 1 1 1 1 1 1 ',
    'AB12 AAAA AAAA ',
  ]) {
    const taken = time(unit)
    assert.ok(taken < 30 * usual, `${JSON.stringify(unit)}: ${taken} us, usual text ${usual} us`)
  }
})

test('leaves numbers, versions and code as they are', () => {
  for (const text of [
    'order 4111111111111112',
    'version 10.2.3',
    'at 2026-11-22T19:00:00Z',
    '123456789',
    'a@b',
    'GB12 nothing',
    'const x = 1_000_000',
  ])
    assert.equal(redactText(text), text)
})

test('redacts contents, parts and tool calls, and keeps images', () => {
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } }
  const [user, assistant] = redactMessages([
    { role: 'user', content: [{ type: 'text', text: 'I am ada@example.com' }, image] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: '1', type: 'function', function: { name: 'mail', arguments: '{"to":"ada@example.com"}' } },
      ],
    },
  ])
  assert.deepEqual(user?.content, [{ type: 'text', text: 'I am [EMAIL]' }, image])
  assert.equal(assistant?.tool_calls?.[0]?.function.arguments, '{"to":"[EMAIL]"}')
})

test('arguments stay valid JSON, with every other number as it was', () => {
  const redacted = (text: string) => {
    const call = { id: '1', type: 'function' as const, function: { name: 'pay', arguments: text } }
    const [message] = redactMessages([
      { role: 'assistant', tool_calls: [call], function_call: { name: 'pay', arguments: text } },
    ])
    const result = message?.tool_calls?.[0]?.function.arguments
    assert.deepEqual(message?.function_call, { name: 'pay', arguments: result })
    return result
  }
  assert.equal(redacted(`{"order":${CARD},"n":[1,-2.5e3]}`), '{"order":"[CARD]","n":[1,-2.5e3]}')
  assert.equal(redacted('{"id": 12345678901234567890}'), '{"id": 12345678901234567890}')
  assert.equal(redacted('{"ratio":0.4111111111111111}'), '{"ratio":0.4111111111111111}')
  assert.equal(
    redacted('{"to":"ada\\u0040example.com","say":"\\"hi\\""}'),
    '{"to":"[EMAIL]","say":"\\"hi\\""}',
  )
  assert.equal(redacted('{"ada@example.com":true}'), '{"[EMAIL]":true}')
  assert.equal(redacted(`{"order":${CARD}`), '{"order":[CARD]')
})

test('redacts every text of a message and the prediction, but no role, id, address of an image or signed thought', () => {
  const email = 'ada@example.com'
  const signed = { type: 'thinking', thinking: email, signature: 's' }
  const sealed = { type: 'redacted_thinking', data: email }
  const image = { type: 'image_url', image_url: { url: `https://example.com/${email}` } }
  const { messages, prediction } = redactRequest({
    model: 'auto',
    messages: [
      { role: 'user', name: email, content: [{ type: 'text', text: email }, image] },
      {
        role: 'assistant',
        content: [{ type: 'refusal', refusal: email }, signed],
        refusal: email,
        reasoning_content: email,
        thinking_blocks: [signed, sealed, { type: 'thinking', thinking: email, signature: '' }],
      },
      { role: 'tool', tool_call_id: email, content: email },
    ],
    prediction: { type: 'content', content: [{ type: 'text', text: email }] },
  })
  assert.deepEqual(messages, [
    { role: 'user', name: '[EMAIL]', content: [{ type: 'text', text: '[EMAIL]' }, image] },
    {
      role: 'assistant',
      content: [{ type: 'refusal', refusal: '[EMAIL]' }, signed],
      refusal: '[EMAIL]',
      reasoning_content: '[EMAIL]',
      thinking_blocks: [signed, sealed, { type: 'thinking', thinking: '[EMAIL]', signature: '' }],
    },
    { role: 'tool', tool_call_id: email, content: '[EMAIL]' },
  ])
  assert.deepEqual(prediction, { type: 'content', content: [{ type: 'text', text: '[EMAIL]' }] })
})
