import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { suite, test } from 'node:test'
import { parseArguments } from './arguments.ts'

const ci = (...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../ci.ts'), ...args], { encoding: 'utf8' })

suite('the arguments of npm test', () => {
  test('--help prints the usage and runs nothing', () => {
    const { status, stdout, stderr } = ci('ap2', '--help')
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^Usage: npm test/)
    assert.doesNotMatch(stdout, /passed|format/)
  })

  test('an unknown option ends with 64 and the usage', () => {
    const { status, stdout, stderr } = ci('--watch')
    assert.deepEqual([status, stdout], [64, ''])
    assert.match(stderr, /Unknown option '--watch'[\s\S]*Usage: npm test/)
  })

  test('a part that no test file has fails and names it', () => {
    const { status, stderr } = ci('no-such-test')
    assert.equal(status, 64)
    assert.match(stderr, /no test file has "no-such-test" in its path/)
  })

  test('selects files by parts of their paths, and refuses them beside --checks', () => {
    assert.deepEqual(parseArguments(['ap2', 'test/cli']), {
      checks: false,
      help: false,
      parts: ['ap2', 'test/cli'],
    })
    assert.throws(() => parseArguments(['--checks', 'ap2']), /runs no tests/)
  })
})
