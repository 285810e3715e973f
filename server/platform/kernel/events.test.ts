import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { openTestDb, type TestDb } from '#test'
import { defineEvent, publish } from './events.ts'
import { sql } from './sql.ts'

const parcelSent = defineEvent<{ parcelId: number }>('parcel.sent')
const parcelLost = defineEvent<{ parcelId: number }>('parcel.lost')

describe('domain events', () => {
  let t: TestDb
  const calls: string[] = []
  before(async () => {
    t = await openTestDb()
    await t.db.raw('create table parcel (id int primary key, sender text)')
    t.bindings.add('lower', [
      parcelSent.with(async (tx, { parcelId }) => {
        calls.push('first')
        await tx.run(sql`insert into parcel values (${parcelId}, 'first')`)
      }),
    ])
    t.bindings.add('upper', [
      parcelSent.with(async (_tx, { parcelId }) => {
        calls.push('second')
        if (parcelId === 13) throw new Error('the second subscriber refuses 13')
      }),
    ])
  })
  after(() => t.close())
  beforeEach(() => calls.splice(0))

  const send = (parcelId: number) => t.db.transaction(tx => publish(tx, parcelSent, { parcelId }))
  const stored = async () =>
    (await t.db.rows(sql<{ id: number }>`select id from parcel order by id`)).map(row => row.id)

  test('run their subscribers in order, inside the transaction', async () => {
    await send(1)
    assert.deepEqual([calls, await stored()], [['first', 'second'], [1]])
  })

  test('roll everything back when a subscriber fails', async () => {
    await assert.rejects(send(13), /the second subscriber refuses 13/)
    assert.deepEqual([calls, await stored()], [['first', 'second'], [1]])
  })

  test('without subscribers do nothing', async () => {
    await t.db.transaction(tx => publish(tx, parcelLost, { parcelId: 1 }))
    assert.deepEqual(calls, [])
  })
})
