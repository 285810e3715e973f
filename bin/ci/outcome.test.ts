import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { filesToRepeat, type Outcome } from './outcome.ts'
import { processorLine } from './processor.ts'

const TESTS = `import { after, describe, test } from 'node:test'; import assert from 'node:assert/strict'`
/** In a process of its own: a test cannot start a runner. */
const RUNNER = `
  import { run } from 'node:test'
  import { outcomeOf } from '${join(import.meta.dirname, 'outcome.ts')}'
  const [path, ...files] = process.argv.slice(2)
  const events = []
  for await (const event of run({ files: [path] })) events.push(event)
  console.log(JSON.stringify(outcomeOf(events, 'all', files)))`

/** What a group of these files comes to; each has the code of its tests. */
async function outcomeOfGroup(files: Record<string, string>): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-outcome-'))
  const suites = Object.entries(files).map(([name, code]) => `describe('${name}', () => { ${code} })`)
  const [group, runner] = [join(folder, 'group.mjs'), join(folder, 'runner.mjs')]
  await writeFile(group, `${TESTS}\ndescribe('all', () => { ${suites.join('\n')} })`)
  await writeFile(runner, RUNNER)
  const env = { ...process.env }
  delete env.NODE_TEST_CONTEXT
  const { stdout } = await promisify(execFile)(process.execPath, [runner, group, ...Object.keys(files)], {
    env,
  })
  await rm(folder, { recursive: true })
  return JSON.parse(stdout) as Outcome
}

suite('the outcome of a group', () => {
  test('counts tests, names the file of a failure, and repeats that file', async () => {
    const outcome = await outcomeOfGroup({
      'a.test.ts': `test('one', () => {}); test('two', () => assert.fail('late')); test('three', { skip: true }, () => {})`,
      'b.test.ts': `test('four', () => {})`,
    })
    assert.deepEqual([outcome.passed, outcome.failed, outcome.skipped], [2, 1, 1])
    assert.deepEqual(
      outcome.failures.map(({ test, file }) => [test, file]),
      [['two', 'a.test.ts']],
    )
    assert.deepEqual(filesToRepeat(outcome), ['a.test.ts'])
  })

  test('reads the processor time of the group and of its files from what they print', async () => {
    const print = (name: string, seconds: number) =>
      `process.stdout.write(${JSON.stringify(processorLine(name, seconds))})`
    const outcome = await outcomeOfGroup({
      'a.test.ts': `test('one', () => { ${print('a.test.ts', 1.24)}; ${print('all', 2.5)} })`,
      'b.test.ts': `test('two', () => {})`,
    })
    assert.equal(outcome.processor, 2.5)
    assert.deepEqual(
      outcome.times.map(({ file, processor }) => [file, processor]),
      [
        ['a.test.ts', 1.2],
        ['b.test.ts', null],
      ],
    )
  })

  test('repeats nothing where the ledger check fails', async () => {
    const outcome = await outcomeOfGroup({
      'a.test.ts': `after(() => { throw new Error('the ledger check fails') }); test('one', () => {})`,
    })
    assert.equal(outcome.failed, 1)
    assert.deepEqual(filesToRepeat(outcome), [])
  })

  test('repeats no proof about races and money', async () => {
    const outcome = await outcomeOfGroup({ 'test/races/a.test.ts': `test('one', () => assert.fail('lost'))` })
    assert.deepEqual([outcome.failed, filesToRepeat(outcome)], [1, []])
  })
})
