import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import type { AgentPayment } from '../../../api/schema.d.ts'
import type { Range } from '../search.ts'

/** Postings by which a seller receives what buyers paid. */
const EARNED = ['ap2.release', 'ap2.split', 'x402_payment']
const PAGE = 100
/** Of more payments, the newest are shown, and the page says so. */
const MOST_PAGES = 20
const DAY_MS = 86_400_000

/** A payment with the agent that received it. */
export interface EarnedPayment extends AgentPayment {
  agentId: string
}

export interface Earned {
  payments: readonly EarnedPayment[]
  /** False if there are more than the page reads. */
  isComplete: boolean
}

/** What the agents received for their work in the days of the range, the newest first. */
export const useEarned = (agentIds: readonly string[], range: Range) =>
  useQuery({
    queryKey: ['get', '/agents/{id}/payment-history', 'earned', agentIds, range],
    queryFn: async (): Promise<Earned> => {
      const since = Date.now() - Number(range) * DAY_MS
      const all = await Promise.all(agentIds.map(id => earnedSince(id, since)))
      return {
        payments: all.flatMap(({ payments }) => payments),
        isComplete: all.every(({ isComplete }) => isComplete),
      }
    },
    enabled: agentIds.length > 0,
  })

async function earnedSince(id: string, since: number): Promise<Earned> {
  const payments: EarnedPayment[] = []
  for (let page = 0; page < MOST_PAGES; page++) {
    const { data } = await api.GET('/agents/{id}/payment-history', {
      params: { path: { id }, query: { limit: PAGE, offset: page * PAGE } },
    })
    const items = data?.items ?? []
    payments.push(
      ...items
        .filter(payment => isEarned(payment) && Date.parse(payment.createdAt) >= since)
        .map(payment => ({ ...payment, agentId: id })),
    )
    const oldest = items.at(-1)
    if (items.length < PAGE || (oldest && Date.parse(oldest.createdAt) < since))
      return { payments, isComplete: true }
  }
  return { payments, isComplete: false }
}

const isEarned = ({ type, direction }: AgentPayment): boolean =>
  direction === 'RECEIVED' && EARNED.includes(type)

export interface Period {
  /** Its first day. */
  start: Date
  payments: AgentPayment[]
}

/** The payments by day, or by week from Monday, without gaps. */
export function periodsOf(payments: readonly AgentPayment[], range: Range, now = new Date()): Period[] {
  const days = range === '30' ? 1 : 7
  const periods: Period[] = []
  const first = startOf(new Date(now.getTime() - Number(range) * DAY_MS), days)
  for (const start = first; start <= now; start.setDate(start.getDate() + days))
    periods.push({ start: new Date(start), payments: [] })
  for (const payment of payments) {
    const at = new Date(payment.createdAt)
    periods.findLast(({ start }) => start <= at)?.payments.push(payment)
  }
  return periods
}

/** Midnight of the day, or of the Monday before it, in the time zone of the person. */
function startOf(moment: Date, days: number): Date {
  const start = new Date(moment.getFullYear(), moment.getMonth(), moment.getDate())
  if (days === 7) start.setDate(start.getDate() - ((start.getDay() + 6) % 7))
  return start
}
