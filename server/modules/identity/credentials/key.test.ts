import { suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { isWellFormedKey, makeKey } from './key.ts'

suite('the form of a key', () => {
  test('is a prefix, 30 random and 6 checksum characters', () => {
    for (const kind of ['sk', 'sa', 'rk'] as const) {
      const { text, lastFour } = makeKey(kind)
      assert.match(text, new RegExp(`^${kind}_[0-9A-Za-z]{36}$`))
      assert.equal(lastFour, text.slice(-4))
      assert.ok(isWellFormedKey(text))
    }
    assert.notEqual(makeKey('sk').text, makeKey('sk').text)
  })

  test('the checksum detects changed and swapped characters and another prefix', () => {
    const { text } = makeKey('sk')
    for (let at = 3; at < text.length; at++) {
      const other = text[at] === 'a' ? 'b' : 'a'
      assert.equal(isWellFormedKey(text.slice(0, at) + other + text.slice(at + 1)), false)
      if (at < text.length - 1 && text[at] !== text[at + 1]) {
        assert.equal(isWellFormedKey(text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2)), false)
      }
    }
    assert.equal(isWellFormedKey(text.replace('sk_', 'sa_')), false)
  })

  test('anything else is none', () => {
    for (const text of [
      '',
      'sk_',
      'sk_short',
      `sk_${'0'.repeat(37)}`,
      `xx_${'0'.repeat(36)}`,
      `sk_${'é'.repeat(36)}`,
    ])
      assert.equal(isWellFormedKey(text), false)
  })

  test('its characters are spread evenly', () => {
    const counts = new Map<string, number>()
    const keys = 2000
    for (let made = 0; made < keys; made++)
      for (const character of makeKey('sk').text.slice(3, 33))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    const expected = (keys * 30) / 62
    assert.equal(counts.size, 62)
    for (const [character, count] of counts)
      assert.ok(Math.abs(count - expected) < expected * 0.3, `${character}: ${count} of about ${expected}`)
  })
})
