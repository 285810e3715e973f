import { difference, money, type Difference } from '#reconciliation'
import type { Queryable } from '#platform/kernel/db'
import { eventsOf, type EventLine } from './sql.ts'

/** An object at the processor that events should have been received about. */
export interface EventSubject {
  /** Such as `payment`. */
  subject: string
  externalId: string
  ourId: string | null
  /** What the outside list says, and the types of events that must name the same amount. */
  cents: number
  currency: string
  amountIn: RegExp
}

/**
 * Events that were lost, sent twice, received out of order or altered. They changed nothing wrongly, because the state is
 * read from the processor: only an altered one needs an operator.
 */
export async function compareEvents(q: Queryable, subjects: readonly EventSubject[]): Promise<Difference[]> {
  const events = Map.groupBy(
    await q.rows(eventsOf(subjects.map(({ externalId }) => externalId))),
    ({ objectId }) => objectId,
  )
  return subjects.flatMap(subject => {
    const own = events.get(subject.externalId) ?? []
    return own.length ? own.flatMap(event => eventDifferences(subject, event)) : [lost(subject)]
  })
}

const lost = ({ subject, externalId, ourId, cents, currency }: EventSubject): Difference =>
  difference('EVENT_LOST', subject, {
    externalId,
    ourId,
    expected: money(cents, currency),
    note: 'No event about it was received: check the webhook at the processor',
    isOpen: false,
  })

function eventDifferences(
  { externalId, cents, currency, amountIn }: EventSubject,
  event: EventLine,
): Difference[] {
  const about = { externalId: event.id, ourId: null }
  const found: Difference[] = []
  if (event.deliveries > 1)
    found.push(
      difference('EVENT_DUPLICATED', event.type, {
        ...about,
        expected: '1',
        actual: String(event.deliveries),
        note: `The event about ${externalId} was received ${event.deliveries} times and counted once`,
        isOpen: false,
      }),
    )
  if (event.isLate)
    found.push(
      difference('EVENT_REORDERED', event.type, {
        ...about,
        note: `A newer event about ${externalId} was received before: the state was read from the processor`,
        isOpen: false,
      }),
    )
  if (amountIn.test(event.type) && event.amount !== null && event.amount !== String(cents))
    found.push(
      difference('EVENT_ALTERED', event.type, {
        ...about,
        expected: money(cents, currency),
        actual: `${event.amount} in the event`,
        note: `The event about ${externalId} names another amount than the statement: check who knows the webhook secret`,
      }),
    )
  return found
}
