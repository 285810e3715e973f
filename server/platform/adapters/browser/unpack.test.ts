import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe, test } from 'node:test'
import { eventually } from '#test'
import { unpackBrowser } from './unpack.ts'

describe('unpacking the browser', () => {
  test('says why it failed', async () => {
    await assert.rejects(unpackBrowser('/nowhere/draft', '/nowhere/folder'), /ENOENT.*\/nowhere\/draft/)
  })

  test('leaves nothing when the service is killed meanwhile', async () => {
    const draft = await mkdtemp(join(tmpdir(), 'svc-unpack-'))
    const program = `import { unpackBrowser } from ${JSON.stringify(import.meta.resolve('./unpack.ts'))}
      await unpackBrowser(${JSON.stringify(draft)}, ${JSON.stringify(`${draft}.final`)})`
    const service = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' })
    await eventually('it unpacks', async () => (await readdir(draft)).length > 0)
    const ended = once(service, 'exit')
    service.kill('SIGKILL')
    await ended
    await eventually('the folder is gone', async () => !existsSync(draft))
  })
})
