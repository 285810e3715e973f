import { formatMoney } from '#platform/kernel/money'
import type { UsageRecord } from '../core/funds.ts'

/** What the answer cost, in USD: the model, and the fee on it. Once something was spent, clients must not retry by themselves. */
export const priceHeaders = ({ cost, fee }: Pick<UsageRecord, 'cost' | 'fee'>): Record<string, string> => ({
  'x-svc-cost-usd': formatMoney(cost),
  'x-svc-fee-usd': formatMoney(fee),
  ...(cost > 0n ? { 'x-should-retry': 'false' } : {}),
})
