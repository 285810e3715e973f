import { $api } from '../../api/client.ts'
import type { WalletTotals } from '../../api/schema.d.ts'
import { timeZone } from '../../parts/format.ts'
import { decimalOf, microOf } from '../../parts/micro.ts'

/** Kinds of transactions that pay for something; what comes in by `fund` and leaves with it went into an escrow. */
const PAID = ['ap2.hold', 'fund', 'x402_payment', 'subscription_paid', 'routing_topup']
/** Kinds that return some of it; a refund to a card that failed is in the wallet. */
const RETURNED = ['ap2.refund', 'ap2.split', 'refund_failed', 'subscription_returned', 'routing_returned']
const MONTHS = 12

export interface SpentMonth {
  /** Its first day: `2026-05-01`. */
  month: string
  /** By currency. */
  amounts: ReadonlyMap<string, string>
}

/** Whose wallets: your own without it, or those of an organization. */
export function useTotals(organizationId: string | undefined) {
  const now = new Date()
  const from = new Date(now.getFullYear(), now.getMonth() - MONTHS + 1, 1).toISOString()
  const owner = organizationId ? { ownerType: 'ORGANIZATION' as const, ownerId: organizationId } : {}
  return $api.useQuery('get', '/wallets/totals', {
    params: { query: { ...owner, unit: 'month', from, timeZone } },
  })
}

/** The months in which something was paid or returned, the first one first. */
export function spentByMonth({ periods, cardRefunds }: WalletTotals): SpentMonth[] {
  const months = new Map<string, Map<string, bigint>>()
  const add = (period: string, currency: string, change: bigint) => {
    const amounts = months.get(period) ?? new Map<string, bigint>()
    months.set(period, amounts.set(currency, (amounts.get(currency) ?? 0n) + change))
  }
  for (const { period, type, direction, currency, amount } of periods)
    if ((direction === 'OUT' ? PAID : RETURNED).includes(type))
      add(period, currency, direction === 'OUT' ? microOf(amount) : -microOf(amount))
  for (const { period, currency, amount } of cardRefunds) add(period, currency, -microOf(amount))
  return [...months]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([month, amounts]) => ({
      month,
      amounts: new Map([...amounts].map(([currency, sum]) => [currency, decimalOf(sum)])),
    }))
}
