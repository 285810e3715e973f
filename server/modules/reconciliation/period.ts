import { after, DAY, type Clock } from '#platform/kernel/clock'
import { invalid } from '#platform/kernel/errors'

/** A longer period takes too long for a request. */
const LONGEST = 31 * DAY

/** The period that is compared: the last day by default. ApiError 400 for an empty one, or one of more than 31 days. */
export function periodOf(clock: Clock, given: { from?: string; to?: string }): { from: Date; to: Date } {
  const to = given.to === undefined ? clock.now() : new Date(given.to)
  const from = given.from === undefined ? after(to, -DAY) : new Date(given.from)
  if (from >= to) throw invalid('from must be before to')
  if (to.getTime() - from.getTime() > LONGEST) throw invalid('the period must not be longer than 31 days')
  return { from, to }
}
