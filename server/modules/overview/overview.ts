import type { Static } from '#platform/http/type'
import { after, DAY } from '#platform/kernel/clock'
import type { Queryable } from '#platform/kernel/db'
import { formatMoney } from '#platform/kernel/money'
import { dayFigures, OPEN_WORK, openWork, type OpenWork } from './ports.ts'
import type { Overview } from './schema.ts'

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)

/** The figures of the last `days` days, today included, and what waits for an operator. */
export async function readOverview(
  q: Queryable,
  { days, now }: { days: number; now: Date },
): Promise<Static<typeof Overview>> {
  const names = Array.from({ length: days }, (_, at) => dayOf(after(now, (at - days + 1) * DAY)))
  const values = new Map<string, bigint>()
  const from = new Date(`${names[0]}T00:00:00.000Z`)
  for (const figures of await dayFigures.call(q, { from }))
    for (const { day, figure, value } of figures) values.set(`${day} ${figure}`, value)
  const valueOf = (day: string, figure: string): bigint => values.get(`${day} ${figure}`) ?? 0n
  return {
    asOf: now.toISOString(),
    days: names.map(day => ({
      day,
      deals: Number(valueOf(day, 'deals')),
      volume: formatMoney(valueOf(day, 'volume')),
      fees: formatMoney(valueOf(day, 'fees')),
      signUps: Number(valueOf(day, 'signUps')),
    })),
    openWork: await countOpenWork(q),
  }
}

async function countOpenWork(q: Queryable): Promise<Record<OpenWork, number>> {
  const counts = Object.fromEntries(OPEN_WORK.map(kind => [kind, 0])) as Record<OpenWork, number>
  for (const kind of OPEN_WORK) counts[kind] = await openWork.call(q, kind, null)
  return counts
}
