import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { GROUP_OPTIONS } from './tests.ts'

/** A file whose hook waits for ever and keeps the process alive, as a service that does not close does. */
const HANGING = `import { after, describe, test } from 'node:test'
describe('a file', () => {
  test('a test', () => {})
  after(() => new Promise(() => setInterval(() => {}, 1000)))
})`

test('a group whose hook does not end fails, and its process ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-hang-'))
  const [file, runner] = [join(folder, 'hanging.mjs'), join(folder, 'runner.mjs')]
  await writeFile(file, HANGING)
  const options = JSON.stringify({ files: [file], timeout: 500, execArgv: GROUP_OPTIONS })
  await writeFile(
    runner,
    `import { run } from 'node:test'
    for await (const { type, data } of run(${options})) if (type === 'test:fail') console.log(data.name)`,
  )
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const out = await new Promise<string>(resolve => {
    execFile(process.execPath, [runner], { env }, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
  assert.equal(out, 'a file\n')
  await rm(folder, { recursive: true })
})
