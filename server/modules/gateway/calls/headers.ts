import { formatMoney } from '#platform/kernel/money'
import type { UsageRecord } from '../core/funds.ts'

/** What the answer cost, in USD: the model, and the fee on it. Once something was spent, clients must not retry by themselves. */
export function priceHeaders({ cost, fee }: Pick<UsageRecord, 'cost' | 'fee'>): Record<string, string> {
  const headers: Record<string, string> = {
    'x-svc-cost-usd': formatMoney(cost),
    'x-svc-fee-usd': formatMoney(fee),
  }
  if (cost > 0n) headers['x-should-retry'] = 'false'
  return headers
}
