import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, pageOf, TOTAL_CAP } from '#platform/http/schema'
import type { Queryable } from '#platform/kernel/db'
import { apiError, COMMON } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { formatMoney, type Asset } from '#platform/kernel/money'
import { ownProfile } from '../profile/profile.ts'
import type { CommissionStatus } from './commission-machine.ts'
import * as statements from './sql.ts'
import type { Commission } from './sql.ts'

export const commissionView = (commission: Commission) => ({
  id: commission.id,
  affiliateId: commission.profileId,
  escrowId: commission.escrowId,
  level: commission.level,
  source: commission.source,
  rateBps: commission.rateBps,
  amount: formatMoney(commission.amount),
  clawedBack: formatMoney(commission.clawedBack),
  currency: commission.currency,
  status: commission.status,
  fraudReason: commission.fraudReason,
  availableAt: commission.status === 'PENDING' ? (commission.dueAt?.toISOString() ?? null) : null,
  paidAt: commission.paidAt?.toISOString() ?? null,
  createdAt: commission.createdAt.toISOString(),
})

interface ListQuery {
  status?: CommissionStatus
  limit?: number
  offset?: number
}

export async function listCommissions(
  q: Queryable,
  profileId: string | null,
  { status, ...query }: ListQuery,
) {
  const page = pageOf(query)
  const filter = { profileId, status: status ?? null }
  const rows = await q.rows(statements.commissionsWith(filter, page))
  const { counted } = await q.one(statements.countCommissionsWith(filter, TOTAL_CAP + 1))
  return pageAnswer(rows.map(commissionView), counted, page)
}

export async function listOwnCommissions(q: Queryable, ctx: RequestContext, query: ListQuery) {
  return listCommissions(q, (await ownProfile(q, ctx)).id, query)
}

const CSV_ROWS = 100_000
const CSV_HEADER = 'id,created_at,escrow_id,level,source,rate_bps,currency,amount,clawed_back,status,paid_at'

/** All commissions of the caller as CSV (RFC 4180), the newest first. No field can hold a comma. */
export async function commissionsAsCsv(q: Queryable, ctx: RequestContext): Promise<string> {
  const { id } = await ownProfile(q, ctx)
  const filter = { profileId: id, status: null }
  const rows = await q.rows(statements.commissionsWith(filter, { limit: CSV_ROWS, offset: 0 }))
  const lines = rows
    .map(commissionView)
    .map(row => [
      row.id,
      row.createdAt,
      row.escrowId,
      row.level,
      row.source,
      row.rateBps,
      row.currency,
      row.amount,
      row.clawedBack,
      row.status,
      row.paidAt ?? '',
    ])
  return `${[CSV_HEADER, ...lines.map(line => line.join(','))].join('\r\n')}\r\n`
}

const GROUPS = {
  expected: ['EXPECTED'],
  pending: ['PENDING', 'FRAUD_HOLD'],
  available: ['AVAILABLE'],
  paid: ['PAID'],
} as const satisfies Record<string, readonly CommissionStatus[]>

/** The commissions of an affiliate by state, in each currency. */
export async function commissionSums(q: Queryable, profileId: string) {
  const rows = await q.rows(statements.sumsOf(profileId))
  const sumsIn = (asset: Asset) => {
    const sumOf = (states: readonly CommissionStatus[]) =>
      formatMoney(
        rows
          .filter(({ currency, status }) => currency === asset && states.includes(status))
          .reduce((sum, { amount }) => sum + amount, 0n),
      )
    return {
      expected: sumOf(GROUPS.expected),
      pending: sumOf(GROUPS.pending),
      available: sumOf(GROUPS.available),
      paid: sumOf(GROUPS.paid),
    }
  }
  return { commissions: sumsIn('USD'), commissionsUsdc: sumsIn('USDC') }
}

/** Why a deal earns for an affiliate, for its parties and that affiliate; ApiError 404 for anybody else. */
export async function attributionOf(q: Queryable, accountId: string, negotiationId: string) {
  const rows = isId(negotiationId) ? await q.rows(statements.attributionOf(negotiationId, accountId)) : []
  if (!rows.length)
    throw apiError(COMMON.NOT_FOUND, { hint: 'No affiliate earns from this deal, or it is not yours' })
  return {
    negotiationId,
    attributions: rows.map(({ boundAt, ...row }) => ({ ...row, boundAt: boundAt?.toISOString() ?? null })),
  }
}
