import { accounts, openAccounts, post } from '#ledger'
import type { Db } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { MICRO } from '#platform/kernel/money'
import type { KeyLimits, RoutingKey } from '../../../server/modules/gateway/core/key.ts'
import type { Funds, Reservation, UsageRecord } from '../../../server/modules/gateway/core/funds.ts'

/** A routing key as the gateway has it in memory, with some limits. */
export const routingKey = (accountId: string, limits: Partial<KeyLimits> = {}): RoutingKey => ({
  id: newId(),
  accountId,
  limits: {
    rpm: null,
    tpm: null,
    parallel: null,
    dailyUsd: null,
    weeklyUsd: null,
    monthlyUsd: null,
    endUserDailyUsd: null,
    ...limits,
  },
  allowedModels: [],
  maxPriceUsd: null,
  errorFormat: 'openai',
  cacheSeconds: 0,
  redactPii: false,
  expiresAt: null,
  config: {
    defaultModel: 'auto',
    thresholds: { mid: 0.4, premium: 0.7 },
    allow: [],
    deny: [],
    maxPriceUsd: null,
    lambda: 1,
    sticky: true,
    fallbacks: true,
  },
})

/** Gives an account a routing balance, in micro-USD, from nowhere but the books. */
export const creditRouting = (db: Db, accountId: string, amount: bigint, test = true): Promise<unknown> =>
  db.transaction(async tx => {
    const account = test ? accounts.testRouting(accountId) : accounts.routing(accountId)
    await openAccounts(tx, [{ account, asset: 'USD' }])
    const debit = test ? accounts.testFloat : accounts.promotion
    await post(tx, {
      kind: 'test',
      key: `test/${newId()}`,
      legs: [{ debit, credit: account, amount, asset: 'USD' }],
    })
  })

/** The record of a request that cost `cost` micro-USD and a fee of 8 %. */
export const usageRecord = (key: RoutingKey, cost: bigint, more: Partial<UsageRecord> = {}): UsageRecord => ({
  id: `gen-${newId()}`,
  accountId: key.accountId,
  keyId: key.id,
  surface: 'chat',
  requestedModel: 'auto',
  model: 'gpt-5-mini',
  provider: 'openai',
  tier: 'economy',
  complexity: 0.2,
  decision: {},
  tokens: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  costNano: Number(cost) * 1000,
  cost,
  fee: (cost * 8n) / 100n,
  latencyMs: 12,
  ttftMs: null,
  attempts: [{ model: 'gpt-5-mini', result: 'ok', latencyMs: 12 }],
  outcome: 'completed',
  finishReason: 'stop',
  stream: false,
  simulated: true,
  endUser: null,
  at: new Date(),
  ...more,
})

/** Reserves exactly `amount` micro-USD in test credit, or real money. */
export const reserveExactly = (
  funds: Funds,
  key: RoutingKey,
  amount: bigint,
  { test = true, endUser = null }: { test?: boolean; endUser?: string | null } = {},
): Promise<Reservation> => funds.reserve({ key, endUser, test, minimum: amount, wanted: amount })

export interface Race {
  passed: Reservation[]
  /** Status of each refusal. */
  refused: unknown[]
}

/** Runs all at once and sorts their ends. */
export async function race(reservations: readonly Promise<Reservation>[]): Promise<Race> {
  const ends = await Promise.allSettled(reservations)
  return {
    passed: ends.flatMap(end => (end.status === 'fulfilled' ? [end.value] : [])),
    refused: ends.flatMap(end => (end.status === 'rejected' ? [statusOf(end.reason)] : [])),
  }
}

const statusOf = (error: unknown): unknown =>
  error instanceof Error && 'row' in error ? (error.row as { status: number }).status : error

export { MICRO }
