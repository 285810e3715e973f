import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeDatabaseError } from './database-error.ts'

test('the embedded server that ends in the middle of a start leads to its log', () => {
  const { message } = describeDatabaseError(
    new Error('Migration ledger/0001.sql failed: Connection terminated unexpectedly'),
    undefined,
  )
  assert.match(message, /^Migration ledger\/0001\.sql failed: .*PostgreSQL has ended: its log is in .*space/)
  const other = new Error('Migration ledger/0001.sql was edited after it was applied.')
  assert.equal(describeDatabaseError(other, undefined), other)
})
