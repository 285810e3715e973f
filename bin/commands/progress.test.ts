import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { NOTHING } from './command.ts'
import { Progress, withProgress } from './progress.ts'

/** What is written to a stream. */
function record(isTTY: boolean, columns = 80) {
  const written: string[] = []
  return { isTTY, columns, written, write: (text: string) => written.push(text) }
}

suite('progress of long work', () => {
  test('draws a bar on one line of a terminal, moves it and clears it at the end', t => {
    t.mock.timers.enable({ apis: ['setInterval', 'Date'] })
    const stream = record(true)
    const progress = new Progress({ stream })
    progress.show('Restoring', 0)
    progress.show('Restoring', 0.5)
    assert.equal(stream.written.length, 1)
    t.mock.timers.tick(2000)
    progress.show('Checking')
    progress.end()
    t.mock.timers.tick(2000)
    const lines = stream.written.map(stripVTControlCharacters).map(line => line.replace(/^\r\S? ?/, ''))
    assert.deepEqual(
      [lines[0], lines.at(-3), ...lines.slice(-2)],
      [
        '[........................]   0 % Restoring 0 s',
        '[############............]  50 % Restoring 2 s',
        'Checking 2 s',
        '',
      ],
    )
    assert.ok(stream.written.every(text => text.startsWith('\r\u001b[2K') && !text.includes('\n')))
  })

  test('cuts a line at the width of the terminal', () => {
    for (const [columns, expected] of [
      [30, 29],
      [0, 79],
    ] as const) {
      const stream = record(true, columns)
      const progress = new Progress({ stream })
      progress.show('x'.repeat(200), 0.25)
      progress.end()
      assert.equal(stripVTControlCharacters(stream.written[0] ?? '').trimStart().length, expected)
    }
  })

  test('writes each new text as a line, or nothing, where there is no terminal', () => {
    for (const [elsewhere, expected] of [
      ['lines', ['Hiring\n', 'Waiting\n']],
      ['nothing', []],
    ] as const) {
      const stream = record(false)
      const progress = new Progress({ stream, elsewhere })
      for (const text of ['Hiring', 'Hiring', 'Waiting']) progress.show(text)
      progress.end()
      assert.deepEqual(stream.written, expected)
    }
  })

  test('shows nothing with --json, on a terminal too', async () => {
    const stream = record(true)
    const json = { ...NOTHING, options: new Map([['--json', '']]) }
    for (const [given, isShown] of [
      [NOTHING, true],
      [json, false],
    ] as const) {
      const result = await withProgress(
        given,
        async progress => {
          progress.show('Writing', 0.5)
          return 7
        },
        stream,
      )
      assert.deepEqual([result, stream.written.splice(0).length > 0], [7, isShown])
    }
  })
})
