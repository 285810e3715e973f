import assert from 'node:assert/strict'
import process from 'node:process'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds, holdsInHtml, titleOf } from './text.ts'

const SIZE = 5 * 1024 * 1024
const repeated = (text: string): string => text.repeat(SIZE / text.length)

test('a document of 5 MB of any hostile kind is read in linear time', () => {
  const documents = ['<', '<title', '<title>', 'a ', ' ', '<a>', '< ', 'ab', '\u2003a', '<title '].map(
    repeated,
  )
  const expectations = [
    'Release notes',
    `b${'a'.repeat(499)}`,
    `a${'ab'.repeat(249)}`,
    'a '.repeat(249) + 'b',
  ]
  for (const html of documents) {
    for (const expected of expectations) {
      const before = process.threadCpuUsage()
      titleOf(html)
      holdsInHtml(html, expected)
      const { user, system } = process.threadCpuUsage(before)
      // Measured at 5 to 70 ms.
      assert.ok(
        user + system < 500_000,
        `${(user + system) / 1000} ms for ${html.slice(0, 10)} and ${expected.slice(0, 10)}`,
      )
    }
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
