import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { openTestDb } from '#test'
import { secretsOf } from '#platform/kernel/secrets'
import { sql } from '#platform/kernel/sql'

const SVC = join(import.meta.dirname, '../svc')
const [KEY, OTHER] = ['ab'.repeat(32), 'cd'.repeat(32)]

test('a command with another master key than the service changes nothing and says so', async () => {
  const { db, url, close } = await openTestDb()
  const svc = (words: string, SVC_MASTER_KEY: string) =>
    new Promise<{ status: number; out: string; err: string }>(resolve => {
      const env = { PATH: process.env.PATH, DATABASE_URL: url, SVC_MASTER_KEY, CHROMIUM_PATH: '/nonexistent' }
      execFile(SVC, words.split(' '), { env }, (error, out, err) =>
        resolve({ status: error ? Number(error.code) : 0, out, err }),
      )
    })
  try {
    await secretsOf(KEY).stored(db, 'seed', () => 'plain')
    assert.equal((await svc('vault rotate', KEY)).status, 0)
    const keys = () => db.rows(sql<{ id: string }>`select id, sealed, retired_at from vault_master_key`)
    const before = await keys()
    assert.equal(before.length, 1)
    for (const words of ['vault rotate', 'audit verify', 'reconcile']) {
      const { status, err } = await svc(words, OTHER)
      assert.deepEqual(
        [status, err.startsWith(`svc ${words}: The master key does not match`)],
        [1, true],
        err,
      )
    }
    assert.deepEqual(await keys(), before)
    assert.match((await svc('doctor', OTHER)).out, /^FINDING The master key does not match this database/m)
    assert.match((await svc('doctor', KEY)).out, /^ok {6}the master key is that of the database$/m)
  } finally {
    await close()
  }
})
