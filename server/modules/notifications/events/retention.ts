import type { Db } from '#platform/kernel/db'
import { deletePartyEventsBefore } from './party-sql.ts'
import { deleteEventsBefore } from './sql.ts'

/** Rows that one statement deletes: their deliveries are deleted with them. */
const STEP = 5000

/** Deletes the events before a moment, of agents and of parties, step by step until none is left or the service stops. */
export async function deleteEventsUntil(db: Db, moment: Date, isStopped: () => boolean): Promise<void> {
  for (const statement of [deleteEventsBefore(moment, STEP), deletePartyEventsBefore(moment, STEP)]) {
    let deleted = STEP
    while (deleted === STEP) {
      deleted = await db.run(statement)
      if (isStopped()) break
    }
  }
}
