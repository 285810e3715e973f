import { after, DAY, HOUR } from '#platform/kernel/clock'
import { invalid } from '#platform/kernel/errors'

/** What analytics are asked about: by default the last 30 days. */
const DEFAULT_MS = 30 * DAY

/** Half-open, on any moment. */
interface Stretch {
  from: Date
  to: Date
}

/** A period, divided into whole hours, which are read from their sums, and the rest, which is read row by row. */
export interface Span extends Stretch {
  /** Whole hours from here on ... */
  wholeFrom: Date
  /** ... up to here, without this one. */
  wholeTo: Date
  /** Whole hours that are read row by row nevertheless. */
  except: readonly Date[]
  rows: readonly Stretch[]
}

const floorHour = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR) * HOUR)
const ceilHour = (at: Date): Date => new Date(Math.ceil(at.getTime() / HOUR) * HOUR)
const isEmpty = ({ from, to }: Stretch): boolean => from.getTime() >= to.getTime()

/**
 * The period that a query asks for. Without `to` it has no end, so that the sums of the current hour are used as they are; without `from`
 * it begins with an hour. `changes` are moments at which something changes that the sums do not distinguish. ApiError 400
 * unless from is before to.
 */
export function spanOf(query: { from?: string; to?: string }, now: Date, changes: readonly Date[] = []): Span {
  const to = query.to === undefined ? now : new Date(query.to)
  const from = query.from === undefined ? floorHour(after(to, -DEFAULT_MS)) : new Date(query.from)
  if (from >= to) throw invalid('from must be before to')
  const wholeTo = query.to === undefined ? after(ceilHour(now), HOUR) : floorHour(to)
  const wholeFrom = ceilHour(from)
  // Within one hour there is no whole one.
  if (wholeFrom >= wholeTo) return { from, to, wholeFrom, wholeTo: wholeFrom, except: [], rows: [{ from, to }] }
  const except = changes
    .filter(at => at > floorHour(at))
    .map(floorHour)
    .filter(hour => hour >= wholeFrom && hour < wholeTo)
  const rows = [
    { from, to: wholeFrom },
    ...except.map(hour => ({ from: hour, to: after(hour, HOUR) })),
    { from: wholeTo, to: query.to === undefined ? wholeTo : to },
  ]
  return { from, to, wholeFrom, wholeTo, except, rows: rows.filter(stretch => !isEmpty(stretch)) }
}
