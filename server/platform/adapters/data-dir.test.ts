import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { ensureDataDir } from './data-dir.ts'

suite('the data folder', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-data-dir-'))
  })
  after(() => rm(folder, { recursive: true }))

  test('is made with the folders above it, at the same moment too', async () => {
    const dataDir = join(folder, 'a/b/c')
    await Promise.all([ensureDataDir(dataDir), ensureDataDir(dataDir), ensureDataDir(dataDir)])
    assert.ok((await stat(dataDir)).isDirectory())
  })

  test('that cannot be made is named with the reason', async () => {
    await writeFile(join(folder, 'file'), '')
    await symlink(join(folder, 'gone'), join(folder, 'link'))
    for (const [path, reason] of [
      ['file/data', 'a part of the path is a file'],
      ['file', 'there is a file'],
      ['link', 'a folder that is gone'],
      ['link/data', 'it is a link to a folder that is gone'],
    ] as const)
      await assert.rejects(
        ensureDataDir(join(folder, path)),
        new RegExp(`cannot be made \\(.*${reason}`),
        path,
      )
  })

  test('where no folder can be made is refused, and is not tried for ever', () =>
    assert.rejects(
      ensureDataDir('/proc/svc-data'),
      /The data folder \/proc\/svc-data cannot be made \(its file system accepts no folder/,
    ))
})
