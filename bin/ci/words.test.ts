import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WORD_RULES } from './word-list.ts'
import { findWords } from './words.ts'

const rules = [
  { find: 'purses?', use: 'sub-account' },
  { find: 'that is none', use: 'a named condition' },
  { find: 'acts?', use: 'command', except: 'acts? (?:for|as)' },
]
const found = (text: string) => findWords(text, rules).map(({ line, text }) => `${line} ${text}`)

test('finds words in comments, strings and parts of identifiers, with their lines', () => {
  assert.deepEqual(found("// a Purse\nconst testPurse = 'x'\nselect purse_id"), [
    '1 Purse',
    '2 Purse',
    '3 purse',
  ])
  assert.deepEqual(found('pursers and exact actions'), [])
})

test('finds a phrase that a line break of a comment divides', () => {
  assert.deepEqual(found('/**\n * An id that\n * is none.\n */'), ['2 that is none'])
  assert.deepEqual(found('an id that is\nnone'), ['1 that is none'])
})

test('accepts a use that the exception of the rule names', () => {
  assert.deepEqual(found('a key acts for one agent'), [])
  assert.deepEqual(found('the act'), ['1 act'])
})

test('the list names each pattern once, and what to write', () => {
  assert.equal(new Set(WORD_RULES.map(rule => rule.find)).size, WORD_RULES.length)
  for (const rule of WORD_RULES) assert.ok(rule.use, rule.find)
})
