import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { archiveSettings, openArchive, requireWholeArchive } from './archive.ts'

suite('the archive of the write-ahead log', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-archive-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('is refused with a gap, also where a log file ends; what comes before the copy does not matter', async () => {
    const archive = join(folder, 'gap')
    await mkdir(archive)
    const store = (name: string) => writeFile(join(archive, name), '')
    for (const name of [
      '000000010000000000000002.gz',
      '0000000100000000000000FE.gz',
      '0000000100000000000000FE.00000028.backup.gz',
      '0000000100000000000000FF.gz',
      '000000010000000100000000.gz',
      '000000020000000100000009.gz',
    ])
      await store(name)
    const first = '0000000100000000000000FE'
    await requireWholeArchive(archive, first)
    await store('000000010000000100000002.gz')
    await assert.rejects(requireWholeArchive(archive, first), /lacks 000000010000000100000001\.gz/)
    await store('000000010000000100000001.gz')
    await requireWholeArchive(archive, first)
    await rm(join(archive, `${first}.gz`))
    await assert.rejects(requireWholeArchive(archive, first), /lacks 0000000100000000000000FE\.gz/)
  })

  test('a file is on disk under its name before PostgreSQL may delete the segment', async () => {
    const archive = join(folder, 'synced')
    const [tools, segment, noted] = [join(folder, 'tools'), join(folder, 'segment'), join(folder, 'noted')]
    await mkdir(archive)
    await mkdir(tools)
    await writeFile(segment, 'rows')
    await writeFile(join(tools, 'sync'), `#!/bin/sh\necho "$@" $(ls ${archive}) >> ${noted}\n`, {
      mode: 0o755,
    })
    const setting = archiveSettings(archive).find(each => each.startsWith('archive_command=')) ?? ''
    const command = setting.replace('archive_command=', '').replaceAll('%f', '01').replaceAll('%p', segment)
    const env = { PATH: `${tools}:${process.env.PATH ?? ''}` }
    assert.equal(spawnSync('sh', ['-c', command], { env }).status, 0)
    assert.deepEqual((await readFile(noted, 'utf8')).trim().split('\n'), [
      `${archive}/01.gz.tmp 01.gz.tmp`,
      `${archive} 01.gz`,
    ])
  })

  test('a folder that the service may not write to is refused at the start', async () => {
    const archive = join(folder, 'closed')
    await mkdir(archive)
    await chmod(archive, 0o500)
    const opened = openArchive(archive, null)
    // Root may write everywhere.
    await (process.getuid?.() === 0 ? opened : assert.rejects(opened, /may not write to SVC_WAL_ARCHIVE/))
  })
})
