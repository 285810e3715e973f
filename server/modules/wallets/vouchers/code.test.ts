import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretsOf } from '#platform/kernel/secrets'
import { codeHashOf, makeCode } from './code.ts'

const secrets = secretsOf('5a'.repeat(32))

test('accepts a code in any case, with other separators and with look-alike characters', () => {
  for (let round = 0; round < 50; round++) {
    const { text, hash, prefix } = makeCode(secrets)
    assert.match(text, /^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}$/)
    assert.ok(text.startsWith(prefix))
    const typed = text.toLowerCase().replaceAll('-', ' ').replaceAll('1', 'l').replaceAll('0', 'o')
    assert.deepEqual(codeHashOf(secrets, ` ${typed}`), hash)
    assert.notDeepEqual(codeHashOf(secretsOf('a5'.repeat(32)), text), hash)
  }
})

test('detects every wrong character and every two adjacent ones that are swapped', () => {
  const plain = makeCode(secrets).text.replaceAll('-', '')
  for (let place = 0; place < plain.length; place++) {
    for (const other of '0123456789ABCDEFGHJKMNPQRSTVWXYZ')
      if (other !== plain[place])
        assert.equal(codeHashOf(secrets, plain.slice(0, place) + other + plain.slice(place + 1)), undefined)
    const [one = '', two = one] = plain.slice(place, place + 2)
    const swapped = plain.slice(0, place) + two + one + plain.slice(place + 2)
    if (one !== two) assert.equal(codeHashOf(secrets, swapped), undefined)
  }
})

test('takes no text for a code that has another length or other characters', () => {
  const { text } = makeCode(secrets)
  for (const wrong of [
    '',
    '-',
    text.slice(1),
    `${text}0`,
    text.replace(/./, 'U'),
    text.replace(/./, 'é'),
    '\0',
  ])
    assert.equal(codeHashOf(secrets, wrong), undefined, wrong)
})
