import { moneyNumber } from '#platform/kernel/money'
import type { UsageRecord } from '../core/funds.ts'
import type { TokenUsage } from '../core/model.ts'
import type { CallParts } from './parts.ts'
import type { RunningCall } from './running.ts'

/** Tokens that the gateway counts itself, where the provider reports none. */
export const estimateUsage = (
  { tokens }: Pick<CallParts, 'tokens'>,
  { prompt }: Pick<RunningCall, 'prompt'>,
  text: string,
): TokenUsage => ({
  input: prompt.tokens,
  output: text === '' ? 0 : tokens.ofText(text),
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
})

const whole = (count: number): number => (Number.isFinite(count) && count > 0 ? Math.round(count) : 0)

/** What a provider reports, within what can be: whole numbers, and no part above its sum. */
export function sound(usage: TokenUsage | null): TokenUsage | null {
  if (!usage) return null
  const [input, output] = [whole(usage.input), whole(usage.output)]
  const cacheRead = Math.min(whole(usage.cacheRead), input)
  return {
    input,
    output,
    cacheRead,
    cacheWrite: Math.min(whole(usage.cacheWrite), input - cacheRead),
    reasoning: Math.min(whole(usage.reasoning), output),
  }
}

/** What the caller pays, in USD. */
export const chargedUsd = ({ cost, fee }: Pick<UsageRecord, 'cost' | 'fee'>): number =>
  moneyNumber(cost + fee)
