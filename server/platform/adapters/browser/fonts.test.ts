import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { unpackWoff } from './fonts.ts'

/** The checksum of a table as OpenType defines it; that of `head` leaves its own field out. */
function checksum(table: Buffer, tag: string): number {
  let sum = 0
  for (let at = 0; at < table.length; at += 4)
    sum = (sum + (tag === 'head' && at === 8 ? 0 : table.readUInt32BE(at))) >>> 0
  return sum
}

test('a font that is unpacked has the tables that its directory says', () => {
  const { resolve } = createRequire(import.meta.url)
  const font = unpackWoff(
    readFileSync(resolve('@fontsource/dejavu-mono/files/dejavu-mono-latin-400-normal.woff')),
  )
  const tags: string[] = []
  for (let at = 12; at < 12 + 16 * font.readUInt16BE(4); at += 16) {
    const [tag, sum, offset, size] = [
      font.toString('latin1', at, at + 4),
      font.readUInt32BE(at + 4),
      font.readUInt32BE(at + 8),
      font.readUInt32BE(at + 12),
    ]
    assert.equal(checksum(font.subarray(offset, offset + Math.ceil(size / 4) * 4), tag), sum, tag)
    tags.push(tag)
  }
  assert.ok(
    ['cmap', 'glyf', 'head', 'name'].every(tag => tags.includes(tag)),
    tags.join(),
  )
  assert.throws(() => unpackWoff(Buffer.alloc(100)), /no WOFF/)
})
