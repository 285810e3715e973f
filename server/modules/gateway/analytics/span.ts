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

const beginOfHour = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR) * HOUR)
/** The moment itself where it begins an hour. */
const nextHour = (at: Date): Date => new Date(Math.ceil(at.getTime() / HOUR) * HOUR)
const isEmpty = ({ from, to }: Stretch): boolean => from.getTime() >= to.getTime()

/**
 * The period that a query asks for. Without `to` it has no end, so that the sums of the current hour are used as they are; without `from`
 * it begins with an hour. `changes` are moments at which something changes that the sums do not distinguish. ApiError 400
 * unless from is before to.
 */
export function spanOf(
  query: { from?: string; to?: string },
  now: Date,
  changes: readonly Date[] = [],
): Span {
  const to = query.to === undefined ? now : new Date(query.to)
  const from = query.from === undefined ? beginOfHour(after(to, -DEFAULT_MS)) : new Date(query.from)
  if (from >= to) throw invalid('from must be before to')
  const wholeTo = query.to === undefined ? after(nextHour(now), HOUR) : beginOfHour(to)
  const wholeFrom = nextHour(from)
  // Within one hour there is no whole one.
  if (wholeFrom >= wholeTo)
    return { from, to, wholeFrom, wholeTo: wholeFrom, except: [], rows: [{ from, to }] }
  const hours = changes.filter(at => at > beginOfHour(at)).map(at => beginOfHour(at).getTime())
  const except = [...new Set(hours)]
    .filter(hour => hour >= wholeFrom.getTime() && hour < wholeTo.getTime())
    .map(hour => new Date(hour))
  const rows = [
    { from, to: wholeFrom },
    ...except.map(hour => ({ from: hour, to: after(hour, HOUR) })),
    { from: wholeTo, to: query.to === undefined ? wholeTo : to },
  ]
  return { from, to, wholeFrom, wholeTo, except, rows: rows.filter(stretch => !isEmpty(stretch)) }
}
