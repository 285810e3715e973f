import { agentSummary, type AgentSummary } from '#agents'
import { erasure, organizations } from '#identity'
import { hasLimits } from '#spending'
import { walletErasure } from '#wallets'
import type { Queryable } from '#platform/kernel/db'
import type { HistoryLine } from '#platform/kernel/machine'
import { fieldNameOf, part, sql, type SqlPart } from '#platform/kernel/sql'
import type { DeliverySummary, DisputeRow, EscrowRow, MilestoneRow, RoundRow, Side } from './rows.ts'

export type DealLine = HistoryLine & { subject: 'negotiation' | 'escrow' | 'delivery' }

/** Who runs the organizations that are parties to deals, by organization. */
export type Staff = ReadonlyMap<string, ReadonlySet<string>>

/** Everything that belongs to a negotiation. */
export interface DealParts {
  escrow: EscrowRow | null
  milestones: readonly MilestoneRow[]
  rounds: readonly RoundRow[]
  disputes: readonly DisputeRow[]
  deliveries: readonly DeliverySummary[]
  /** Oldest first: by id, for `at` is the begin of a transaction that may have waited for the deal. */
  history: readonly DealLine[]
  buyerAgent: AgentSummary | null
  sellerAgent: AgentSummary | null
  staff: Staff
  /** The parties whose account is deleted or whose organization is closed. */
  deletedSides: ReadonlySet<Side>
  /** A wallet of the escrow is a deleted owner's: that of an account which is no party any more after a claim of its agent. */
  hasOrphanWallet: boolean
  /** The parties whose agent has a budget or an autonomy policy. */
  limitedSides: ReadonlySet<Side>
}

type Json = Record<string, unknown>

interface PartsRow {
  id: string
  escrow: Json | null
  milestones: Json[] | null
  rounds: Json[] | null
  disputes: Json[] | null
  deliveries: Json[] | null
  history: Json[] | null
  buyerAgent: Json | null
  sellerAgent: Json | null
  staff: { organizationId: string; accountId: string }[] | null
  buyerDeleted: boolean
  sellerDeleted: boolean
  hasOrphanWallet: boolean
  buyerLimited: boolean
  sellerLimited: boolean
}

/** Deliveries without what was delivered, which may be large: that is read one by one. */
const SUMMARY = part`d.id, d.escrow_id, d.milestone_id, d.attempt, d.status, d.deliverable_url, d.report, d.criteria, d.created_at, d.updated_at,
  exists (select from ap2_screenshot s where s.delivery_id = d.id) as has_screenshot`

/**
 * The parts of some negotiations, each in one row: one statement, whatever there is to read. As json, which is text: jsonb
 * would be built first, and then written as text.
 */
const partsOf = (negotiations: SqlPart, escrow: SqlPart) => sql<PartsRow>`
  select n.id, to_json(e) as escrow,
    (select json_agg(m order by m.place) from ap2_milestone m where m.escrow_id = e.id) as milestones,
    (select json_agg(r order by r.id) from ap2_round r where r.negotiation_id = n.id) as rounds,
    (select json_agg(d order by d.id) from ap2_dispute d where d.escrow_id = e.id) as disputes,
    (select json_agg(d order by d.attempt) from (select ${SUMMARY} from ap2_delivery d where d.escrow_id = e.id) d) as deliveries,
    (select json_agg(h order by h.id) from (
      select 'negotiation' as subject, h.* from ap2_negotiation_history h where h.subject_id = n.id
      union all select 'escrow', h.* from ap2_escrow_history h where h.subject_id = e.id
      union all select 'delivery', h.* from ap2_delivery_history h
        where h.subject_id in (select id from ap2_delivery where escrow_id = e.id)) h) as history,
    ${agentSummary(part`n.buyer_agent_id`)} as buyer_agent, ${agentSummary(part`n.seller_agent_id`)} as seller_agent,
    ${organizations.staffOfOrganizations(part`n.buyer_organization_id, n.seller_organization_id`)} as staff,
    ${erasure.isDeletedParty(part`n.buyer_account_id`, part`n.buyer_organization_id`)} as buyer_deleted,
    ${erasure.isDeletedParty(part`n.seller_account_id`, part`n.seller_organization_id`)} as seller_deleted,
    ${walletErasure.isAnyOrphan(part`e.buyer_wallet_id, e.seller_wallet_id`)} as has_orphan_wallet,
    ${hasLimits(part`n.buyer_agent_id`)} as buyer_limited, ${hasLimits(part`n.seller_agent_id`)} as seller_limited
  from ap2_negotiation n left join ap2_escrow e on e.negotiation_id = n.id and ${escrow}
  where n.id in (${negotiations})`

/** The escrow of a negotiation that is not canceled: there is one at most. */
const LIVE = part`e.status <> 'CANCELLED'`

/**
 * The parts by negotiation. `negotiations` is a list of ids, or a subquery that returns ids; `escrow` names the escrow whose
 * parts are read.
 */
export async function readParts(
  q: Queryable,
  negotiations: SqlPart,
  escrow = LIVE,
): Promise<Map<string, DealParts>> {
  const found = await q.rows(partsOf(negotiations, escrow))
  return new Map(found.map(row => [row.id, toParts(row)]))
}

/** The history of the escrows of a negotiation that were canceled, in no order: payments that nobody made, or that failed. */
export const canceledHistory = (negotiationId: string) => sql<DealLine>`
  select 'escrow' as subject, h.* from ap2_escrow_history h where h.subject_id in (
    select id from ap2_escrow where negotiation_id = ${negotiationId} and status = 'CANCELLED')`

const toParts = (row: PartsRow): DealParts => ({
  escrow: row.escrow && toRow<EscrowRow>(row.escrow),
  milestones: toRows<MilestoneRow>(row.milestones),
  rounds: toRows<RoundRow>(row.rounds),
  disputes: toRows<DisputeRow>(row.disputes),
  deliveries: toRows<DeliverySummary>(row.deliveries),
  history: toRows<DealLine>(row.history),
  buyerAgent: row.buyerAgent && toRow<AgentSummary>(row.buyerAgent),
  sellerAgent: row.sellerAgent && toRow<AgentSummary>(row.sellerAgent),
  staff: toStaff(row.staff ?? []),
  deletedSides: new Set(sidesWhere(row.buyerDeleted, row.sellerDeleted)),
  hasOrphanWallet: row.hasOrphanWallet,
  limitedSides: new Set(sidesWhere(row.buyerLimited, row.sellerLimited)),
})

const sidesWhere = (buyer: boolean, seller: boolean): Side[] => [
  ...(buyer ? (['buyer'] as const) : []),
  ...(seller ? (['seller'] as const) : []),
]

function toStaff(members: NonNullable<PartsRow['staff']>): Staff {
  const staff = new Map<string, Set<string>>()
  for (const { organizationId, accountId } of members)
    staff.set(organizationId, (staff.get(organizationId) ?? new Set()).add(accountId))
  return staff
}

// What JSON has no type for. Amounts are exact in JSON numbers: none is above 10^15 micro-units.
const MOMENTS = new Set([
  'at',
  'answerBy',
  'answeredAt',
  'autoReleaseAt',
  'createdAt',
  'creatorDetachedAt',
  'deliverBy',
  'disputedAt',
  'endedAt',
  'frozenAt',
  'fundBy',
  'lapsesAt',
  'openedAt',
  'remindedAt',
  'updatedAt',
  'verifiedAt',
])
const AMOUNTS = new Set(['amount', 'fees', 'price', 'refunded', 'released'])

const fields = new Map<string, string>()

function fieldOf(column: string): string {
  let field = fields.get(column)
  if (field === undefined) fields.set(column, (field = fieldNameOf(column)))
  return field
}

const toRows = <Row>(list: readonly Json[] | null): Row[] => (list ?? []).map(row => toRow<Row>(row))

/** A row of a table from its JSON. Columns that hold JSON stay as they are. */
function toRow<Row>(json: Json): Row {
  const row: Json = {}
  for (const [column, value] of Object.entries(json)) {
    const field = fieldOf(column)
    row[field] = value === null ? null : convert(field, value)
  }
  return row as Row
}

function convert(field: string, value: unknown): unknown {
  if (MOMENTS.has(field)) return new Date(String(value))
  return AMOUNTS.has(field) ? BigInt(Number(value)) : value
}
