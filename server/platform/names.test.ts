import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DELETED_PERSON as GONE, isTelling, Names } from '#platform/names'

const NOW = new Date()

it('takes names out of texts and trees as whole words, in any case', () => {
  const names = new Names(['ada@example.com', 'ada_l', 'Ada Lovelace', '0x52908400098527886E0F7030069857D2E4169EE7'])
  assert.equal(names.clean('Dear ADA  lovelace <Ada@Example.com>, aka @ada_l:', NOW), `Dear ${GONE} <${GONE}>, aka @${GONE}:`)
  assert.equal(names.clean('ada_l2 and xada_l are others', NOW), 'ada_l2 and xada_l are others')
  assert.deepEqual(
    names.clean({ to: ['ada_l', 5, null], '0x52908400098527886e0f7030069857d2e4169ee7': { by: 'https://x.example/ada_l?x' } }, NOW),
    { to: [GONE, 5, null], [GONE]: { by: `https://x.example/${GONE}?x` } },
  )
})

it('a single name counts as it is written, and a word of the trade is no name', () => {
  assert.equal(new Names(['Rose']).clean('Rose rose early', NOW), `${GONE} rose early`)
  for (const name of ['Agent', 'user', 'Al', ' ', 'Bo']) assert.equal(isTelling(name), false, name)
  for (const name of ['Rose', 'Al Bo', 'Translator Ada']) assert.equal(isTelling(name), true, name)
})

it('nobody without a name is found anywhere', () => {
  assert.equal(new Names(['', ' ']).clean('any text', NOW), 'any text')
  assert.deepEqual(new Names([]).likes, [])
})

it('its patterns are literal, but for what case or JSON may write in another way', () => {
  assert.deepEqual(new Names(['50%_a']).likes, [String.raw`%50\%\_a%`, String.raw`%50\%\_a%`])
  assert.deepEqual(new Names(['Zoë "Q" Ray']).likes, ['%zo%%"q"%ray%', String.raw`%zo%%\\"q\\"%ray%`])
})

it('a chosen name counts in what was written since it stands', () => {
  const names = new Names(['ada@example.com'], [{ word: 'full refund', since: NOW }])
  const before = new Date(NOW.getTime() - 1)
  assert.equal(names.clean('ada@example.com owes a full refund', before), `${GONE} owes a full refund`)
  assert.equal(names.clean('ada@example.com owes a full refund', NOW), `${GONE} owes a ${GONE}`)
  assert.ok(names.likes.includes('%full%refund%'))
})
