import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openTestDb, type TestDb } from '#test'
import { ApiError } from './errors.ts'
import { newId } from './id.ts'
import { allowedEvents, historyOf, strandedStates, transition, type Machine } from './machine.ts'
import { sql } from './sql.ts'

type State = 'OPEN' | 'HELD' | 'DONE'
type Event = 'hold' | 'finish' | 'expire'
type Actor = 'owner' | 'timer'

const lamp: Machine<State, Event, Actor> = {
  name: 'lamp',
  table: 'lamp',
  states: ['OPEN', 'HELD', 'DONE'],
  terminal: ['DONE'],
  timers: ['timer'],
  edges: [
    { from: ['OPEN'], event: 'hold', by: ['owner'], to: 'HELD' },
    { from: ['HELD'], event: 'finish', by: ['owner'], to: 'DONE' },
    { from: ['OPEN', 'HELD'], event: 'expire', by: ['timer'], to: 'DONE' },
  ],
}

suite('a state machine', () => {
  let t: TestDb
  interface Row {
    id: string
    status: State
  }
  const open = () => t.db.one(sql<Row>`insert into lamp (id, status) values (${newId()}, 'OPEN') returning *`)
  const move = (row: Row, event: Event, by: Actor) =>
    t.db.transaction(tx => transition(tx, lamp, row, { event, by }))

  before(async () => {
    t = await openTestDb()
    await t.db.run(sql`create table lamp (id uuid primary key, status text not null, updated_at timestamptz)`)
    await t.db.run(
      sql`create table lamp_history (id uuid primary key, subject_id uuid, event text, from_status text, to_status text, actor text, actor_id uuid, details jsonb, at timestamptz)`,
    )
  })
  after(() => t.close())

  test('moves along an edge and keeps the move', async () => {
    const row = await open()
    const held = await move(row, 'hold', 'owner')
    assert.equal(held.status, 'HELD')
    const [note] = await t.db.rows(historyOf('lamp', row.id))
    assert.deepEqual(
      [note?.event, note?.fromStatus, note?.toStatus, note?.actor],
      ['hold', 'OPEN', 'HELD', 'owner'],
    )
  })

  test('refuses every pair of state, event and actor that is no edge', async () => {
    for (const [status, event, by] of [
      ['OPEN', 'finish', 'owner'],
      ['OPEN', 'hold', 'timer'],
      ['DONE', 'hold', 'owner'],
      ['DONE', 'expire', 'timer'],
    ] as const) {
      const row = { ...(await open()), status }
      await assert.rejects(
        move(row, event, by),
        (error: ApiError) => error.row.status === 409 && error.message === `Cannot ${event} while ${status}`,
      )
    }
  })

  test('of 32 callers that saw the same state one moves it', async () => {
    const row = await open()
    const outcomes = await Promise.allSettled(Array.from({ length: 32 }, () => move(row, 'hold', 'owner')))
    assert.equal(outcomes.filter(outcome => outcome.status === 'fulfilled').length, 1)
    assert.equal((await t.db.rows(historyOf('lamp', row.id))).length, 1)
  })

  test('returns the allowed actions, and the states that no timer ends', () => {
    assert.deepEqual(allowedEvents(lamp, 'OPEN', ['owner']), ['hold'])
    assert.deepEqual(strandedStates(lamp), [])
    const noTimer = { ...lamp, edges: lamp.edges.filter(edge => edge.event !== 'expire') }
    assert.deepEqual(strandedStates(noTimer), ['OPEN', 'HELD'])
  })
})
