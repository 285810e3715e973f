import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactMessages, redactText } from './redaction.ts'

test('replaces personal data by the name of its form', () => {
  for (const [text, redacted] of [
    ['ada.lovelace+x@mail.example.co.uk wrote', '[EMAIL] wrote'],
    ['DE89 3704 0044 0532 0130 00', '[IBAN]'],
    ['card 4111-1111-1111-1111.', 'card [CARD].'],
    ['SSN 123-45-6789', 'SSN [SSN]'],
    ['from 192.168.0.17', 'from [IP]'],
    ['call +1 (415) 555-2671 now', 'call [PHONE] now'],
    ['call (415) 555-2671', 'call [PHONE]'],
  ] as const)
    assert.equal(redactText(text), redacted)
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
