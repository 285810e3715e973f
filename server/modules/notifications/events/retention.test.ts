import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { randomUUID } from 'node:crypto'
import { sql } from '#platform/kernel/sql'
import { publishAgent, registerHuman, sharedService, type TestService } from '#test'
import { deleteEventsUntil } from './retention.ts'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

test('deletes all old events in one run, however many there are', async () => {
  const { db } = service.services
  const person = await registerHuman(service)
  const { id: agentId } = await publishAgent(service, person)
  // Older than those of other tests.
  const [old, limit, recent] = ['2001-01-01', '2001-02-01', '2001-03-01'].map(day => new Date(day))
  assert.ok(old && limit && recent)
  const insert = async (count: number, at: Date) => {
    await db.run(sql`
      insert into notifications_event (agent_id, subject_id, sequence, type, data, created_at)
      select ${agentId}, ${randomUUID()}, n, 'deal.funded', '{}', ${at} from generate_series(1, ${count}) n`)
    await db.run(sql`
      insert into notifications_party_event (party_id, type, data, created_at)
      select ${person.id}, 'deal.funded', '{}', ${at} from generate_series(1, ${count}) n`)
  }
  await insert(11_000, old)
  await insert(3, recent)
  const left = () =>
    db.one(sql<{ events: number; ofParties: number }>`select
      (select count(*)::int from notifications_event where created_at <= ${recent}) as events,
      (select count(*)::int from notifications_party_event where created_at <= ${recent}) as of_parties`)
  await deleteEventsUntil(db, limit, () => true)
  assert.deepEqual(
    await left(),
    { events: 6003, ofParties: 6003 },
    'a service that stops begins no other step',
  )
  await deleteEventsUntil(db, limit, () => false)
  assert.deepEqual(await left(), { events: 3, ofParties: 3 })
})
