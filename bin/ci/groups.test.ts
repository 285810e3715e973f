import assert from 'node:assert/strict'
import { glob, stat } from 'node:fs/promises'
import { suite, test } from 'node:test'
import { groupFiles } from './groups.ts'
import { SECONDS } from './seconds.ts'

const FILES = ['server/**/*.test.ts', 'test/**/*.test.ts', 'bin/**/*.test.ts']

suite('the groups of test files', () => {
  test('hold each file once', async () => {
    const files = await Array.fromAsync(glob(FILES))
    const grouped = (await groupFiles(files)).flatMap(group => group.files)
    assert.deepEqual(grouped.toSorted(), files.toSorted())
  })

  test('begin with those that wait for processes, the longest first', async () => {
    const files = ['bin/svc.test.ts', 'test/faults/card.test.ts', 'test/chaos/chaos.test.ts']
    const groups = await groupFiles([...files, 'test/properties/money/money.test.ts'], 40)
    const names = groups.map(({ name }) => name)
    assert.deepEqual(names, ['test/faults', 'test/chaos', 'test/properties', 'bin'])
  })

  test('have no measured time of a file that is gone', async () => {
    for (const file of Object.keys(SECONDS)) assert.ok((await stat(file)).isFile(), file)
  })
})
