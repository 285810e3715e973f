import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../../../test/support/linear.ts'
import { holds, holdsInHtml, titleOf } from './text.ts'

const SIZE = 1024 * 1024

test('a document of 1 MB of any hostile kind is read in linear time', () => {
  const units = ['<', '<title', '<title>', 'a ', ' ', '<a>', '< ', 'ab', '\u2003a', '<title ']
  const expectations = [
    'Release notes',
    `b${'a'.repeat(499)}`,
    `a${'ab'.repeat(249)}`,
    'a '.repeat(249) + 'b',
  ]
  for (const unit of units)
    for (const expected of expectations) {
      const read = (html: string) => [titleOf(html), holdsInHtml(html, expected)]
      assertLinear(`${unit} and ${expected.slice(0, 10)}`, read, unit, SIZE / unit.length)
    }
})

test('the search finds what a plain search over normalized text finds', () => {
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim()
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', ' ', '\n', '\u3000', '<', '>', '\u{1f600}'),
    maxLength: 30,
  })
  fc.assert(
    fc.property(
      text,
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\u{1f600}'), maxLength: 5 }),
      (html, expected) => {
        assert.equal(holds(html, expected), plain(html).includes(plain(expected)))
        assert.equal(
          holdsInHtml(html, expected),
          plain(html).includes(plain(expected)) ||
            plain(html.replace(/<[^>]*>/g, '')).includes(plain(expected)),
        )
      },
    ),
    { numRuns: 2000 },
  )
})

test('the title is found with attributes, in any case, and only near the start', () => {
  assert.equal(titleOf('<html><TITLE lang="en"> Work\n</TITLE>'), 'Work')
  assert.equal(titleOf(`${' '.repeat(70_000)}<title>late</title>`), null)
  assert.equal(titleOf('<p>none</p>'), null)
})
