import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SseReader, type SseEvent } from './sse.ts'

function readAll(bytes: Buffer, cuts: readonly number[] = []): SseEvent[] {
  const reader = new SseReader()
  const places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).flatMap((end, at) => reader.read(bytes.subarray(places[at], end)))
}

test('reads names, several lines of data, comments and all three line ends', () => {
  const text =
    '\uFEFF: comment\nevent: start\ndata: one\n\ndata:two\r\ndata: three\r\n\r\nid: 4\ndata: \rdata:  x\r\revent: lost\n\ndata: rest'
  assert.deepEqual(readAll(Buffer.from(text)), [
    { name: 'start', data: 'one' },
    { name: '', data: 'two\nthree' },
    { name: '', data: '\n x' },
  ])
})

test('reads the same events wherever the bytes are cut', () => {
  const field = fc.constantFrom('data: ', 'data:', 'event: ', ': ', 'id: ')
  const value = fc.string({ unit: 'binary' }).map(text => text.replaceAll(/[\r\n]/g, '').concat('é€😀'))
  const line = fc.tuple(field, value).map(([name, text]) => name + text)
  const block = fc.tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\r', '\r\n'))
  const stream = fc
    .array(block, { maxLength: 6 })
    .map(blocks => blocks.map(([lines, end]) => [...lines, '', ''].join(end)).join(''))
  fc.assert(
    fc.property(stream, fc.array(fc.nat(4000), { maxLength: 12 }), (text, cuts) => {
      const bytes = Buffer.from(text)
      const whole = readAll(bytes)
      assert.deepEqual(readAll(bytes, cuts), whole)
      assert.deepEqual(
        readAll(
          bytes,
          Array.from({ length: bytes.length }, (_, at) => at),
        ),
        whole,
      )
    }),
    { numRuns: 200, seed: 11 },
  )
})

test('refuses a line that never ends', () => {
  const reader = new SseReader()
  const part = Buffer.alloc(1024 * 1024, 'a')
  assert.throws(
    () => {
      for (let at = 0; at < 10; at += 1) reader.read(part)
    },
    { kind: 'malformed' },
  )
})
