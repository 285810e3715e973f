import { suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { useProductionHashing } from '#test'
import { hashOfBackupCode, newBackupCodes } from './backup-code.ts'

suite('backup codes', () => {
  useProductionHashing()

  test('ten different ones of ten characters that nobody mixes up', () => {
    const codes = newBackupCodes()
    assert.equal(new Set(codes).size, 10)
    assert.ok(codes.every(code => /^[0-9A-HJKMNP-TV-Z]{10}$/.test(code)))
    assert.equal(new Set([...codes, ...newBackupCodes()]).size, 20)
  })

  test('are stored as argon2id with the cost of a password', async () => {
    const [salt, another] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)]
    const argon2id = { parallelism: 1, tagLength: 32, memory: 19_456, passes: 2 }
    const expected = argon2Sync('argon2id', { message: '0123456789', nonce: salt, ...argon2id })
    assert.deepEqual(await hashOfBackupCode('01234-56789', salt), expected)
    assert.notDeepEqual(await hashOfBackupCode('0123456789', another), expected)
    assert.deepEqual(await hashOfBackupCode('abcdefghjk', salt), await hashOfBackupCode('ABCDE FGHJK', salt))
    for (const none of ['', '012345678', '01234567890'])
      assert.equal(await hashOfBackupCode(none, salt), null)
  })
})
