import type { HistoryRow } from '#platform/machine'
import type { Asset } from '#platform/money'
import { identifier, joined, json, part, sql } from '#platform/sql'
import type {
  DeliveryRow, DeliverySummary, DisputeRow, EscrowRow, MilestoneRow, NegotiationRow, RoundRow,
} from './rows.ts'

const JSON_COLUMNS = new Set([
  'requirements', 'acceptance_schema', 'milestones', 'metadata', 'result', 'artifacts', 'evidence', 'hints', 'report',
])
const valueOf = ([name, value]: [string, unknown]) => {
  if (value === null || value === undefined) return part`${null}`
  return JSON_COLUMNS.has(name) ? part`${json(value)}::jsonb` : part`${value}`
}

/** A new row of one of this module's tables. Columns that are left out have their default. */
export function insert<Row>(table: string, row: Partial<Row> & object) {
  const columns = Object.entries(row)
  return sql<Row>`insert into ${identifier(table)} (${joined(columns.map(([name]) => identifier(name)), ', ')})
    values (${joined(columns.map(valueOf), ', ')}) returning *`
}

/** Columns of one row that belong to no change of its status. */
export function update<Row>(table: string, id: string, row: Partial<Row> & object) {
  const sets = Object.entries(row).map(entry => part`${identifier(entry[0])} = ${valueOf(entry)}`)
  return sql<Row>`update ${identifier(table)} set ${joined(sets, ', ')} where id = ${id} returning *`
}

export const negotiationById = (id: string) => sql<NegotiationRow>`select * from ap2_negotiation where id = ${id}`
export const lockNegotiation = (id: string) =>
  sql<NegotiationRow>`select * from ap2_negotiation where id = ${id} for update`
export const negotiationsByIds = (ids: readonly string[]) =>
  sql<NegotiationRow>`select * from ap2_negotiation where id = any(${ids}::uuid[])`
export const escrowById = (id: string) => sql<EscrowRow>`select * from ap2_escrow where id = ${id}`
export const lockEscrowOf = (negotiationId: string) =>
  sql<EscrowRow>`select * from ap2_escrow where negotiation_id = ${negotiationId} for update`
export const escrowsOf = (negotiationIds: readonly string[]) =>
  sql<EscrowRow>`select * from ap2_escrow where negotiation_id = any(${negotiationIds}::uuid[])`
export const milestonesOf = (escrowIds: readonly string[]) => sql<MilestoneRow>`
  select * from ap2_milestone where escrow_id = any(${escrowIds}::uuid[]) order by place`
export const milestoneById = (id: string) => sql<MilestoneRow>`select * from ap2_milestone where id = ${id}`
export const roundsOf = (negotiationIds: readonly string[]) => sql<RoundRow>`
  select * from ap2_round where negotiation_id = any(${negotiationIds}::uuid[]) order by id`
export const wasAccepted = (negotiationId: string) => sql<{ accepted: boolean }>`
  select exists (select from ap2_round where negotiation_id = ${negotiationId} and action = 'ACCEPTED') as accepted`
export const disputesOf = (escrowIds: readonly string[]) => sql<DisputeRow>`
  select * from ap2_dispute where escrow_id = any(${escrowIds}::uuid[]) order by id`
export const disputeById = (id: string) => sql<DisputeRow>`select * from ap2_dispute where id = ${id}`
export const openDisputeOf = (escrowId: string) =>
  sql<DisputeRow>`select * from ap2_dispute where escrow_id = ${escrowId} and ended_at is null`

// By id and not by `at`, which is the begin of a transaction that may have waited for the lock of the row.
export type SubjectHistory = HistoryRow & { subject_id: string }
export const historiesOf = (table: string, ids: readonly string[]) => sql<SubjectHistory>`
  select * from ${identifier(`${table}_history`)} where subject_id = any(${ids}::uuid[]) order by id`

export const deliveryById = (id: string) => sql<DeliveryRow>`select * from ap2_delivery where id = ${id}`
/** Without what was delivered, which may be large: that is read one by one. */
export const deliveriesOf = (escrowIds: readonly string[]) => sql<DeliverySummary>`
  select id, escrow_id, milestone_id, attempt, status, deliverable_url, report, created_at, updated_at
  from ap2_delivery where escrow_id = any(${escrowIds}::uuid[]) order by attempt`
export const countAttempts = (escrowId: string) =>
  sql<{ attempts: number }>`select count(*)::int as attempts from ap2_delivery where escrow_id = ${escrowId}`
export const verifiedDeliveries = (milestoneIds: readonly string[]) => sql<DeliveryRow>`
  select * from ap2_delivery where milestone_id = any(${milestoneIds}::uuid[]) and status = 'VERIFIED'`
export const keepScreenshot = (deliveryId: string, sha256: string, png: Buffer) => sql`
  insert into ap2_screenshot (delivery_id, sha256, png) values (${deliveryId}, ${sha256}, ${png}) on conflict do nothing`
export const screenshotOf = (deliveryId: string) =>
  sql<{ png: Buffer; sha256: string }>`select png, sha256 from ap2_screenshot where delivery_id = ${deliveryId}`
export const screenshotsAmong = (deliveryIds: readonly string[]) => sql<{ delivery_id: string }>`
  select delivery_id from ap2_screenshot where delivery_id = any(${deliveryIds}::uuid[])`

/** Moves the release timers of an escrow by the time that they stood still. */
export const postponeReleases = (escrowId: string, ms: number) => sql`
  update ap2_milestone set auto_release_at = auto_release_at + make_interval(secs => ${ms / 1000}::float8)
  where escrow_id = ${escrowId} and auto_release_at is not null`

/** One exclusive holder (a revocation), or any number of shared ones (deals being funded), of one agent. */
export const lockAgentDeals = (agentId: string, shared: boolean) => (shared
  ? sql`select pg_advisory_xact_lock_shared(hashtextextended(${`ap2 agent ${agentId}`}, 0))`
  : sql`select pg_advisory_xact_lock(hashtextextended(${`ap2 agent ${agentId}`}, 0))`)

/** Locks the deals of an agent that have not ended, by id. */
export const lockLiveDealsOf = (agentId: string) => sql`
  select from ap2_negotiation where (seller_agent_id = ${agentId} or buyer_agent_id = ${agentId}) and ended_at is null
  order by id for update`

export const liveDealsOfAgent = (agentId: string) => sql<{ negotiation_id: string; status: string }>`
  select e.negotiation_id, e.status from ap2_escrow e join ap2_negotiation n on n.id = e.negotiation_id
  where e.status in ('HELD', 'DISPUTED', 'FROZEN') and (n.seller_agent_id = ${agentId} or n.buyer_agent_id = ${agentId}) order by e.negotiation_id`

export const unfundedDealsOfAccount = (accountId: string) => sql<{ id: string }>`
  select id from ap2_negotiation where status in ('PENDING', 'COUNTERED', 'ACCEPTED')
  and (buyer_account_id = ${accountId} or seller_account_id = ${accountId}) order by id`

/** A claimed agent's live deals follow it to its owner; one that thereby has one owner on both sides is a self-deal. */
export const moveDealsToOwner = (agentId: string, accountId: string) => sql`
  update ap2_negotiation set
    seller_account_id = case when seller_agent_id = ${agentId} then ${accountId}::uuid else seller_account_id end,
    buyer_account_id = case when buyer_agent_id = ${agentId} then ${accountId}::uuid else buyer_account_id end,
    self_deal = self_deal or (case when seller_agent_id = ${agentId} then ${accountId}::uuid else seller_account_id end)
      = (case when buyer_agent_id = ${agentId} then ${accountId}::uuid else buyer_account_id end)
  where (seller_agent_id = ${agentId} or buyer_agent_id = ${agentId}) and ended_at is null`

export const reservedOf = (walletIds: readonly string[], asset: Asset) => sql<{ wallet_id: string; reserved: bigint }>`
  select buyer_wallet_id as wallet_id, sum(amount - released - refunded)::bigint as reserved from ap2_escrow
  where buyer_wallet_id = any(${walletIds}::uuid[]) and currency = ${asset} and status in ('HELD', 'DISPUTED', 'FROZEN') group by 1`
