import { lockOfLimits } from '#spending'
import { walletErasure } from '#wallets'
import type { Asset } from '#platform/kernel/money'
import { column, identifier, joined, json, part, sql, type SqlPart } from '#platform/kernel/sql'
import type { DeliveryRow, DisputeRow, EscrowRow, MilestoneRow, NegotiationRow } from './rows.ts'

const JSON_COLUMNS = new Set([
  'requirements',
  'acceptanceSchema',
  'acceptance',
  'criteria',
  'milestones',
  'metadata',
  'result',
  'artifacts',
  'evidence',
  'hints',
  'report',
])
const valueOf = ([name, value]: [string, unknown]) => {
  if (value === null || value === undefined) return part`${null}`
  return JSON_COLUMNS.has(name) ? part`${json(value)}::jsonb` : part`${value}`
}

/** An insert of one row of this module's tables. Columns that are left out have their default. */
export function insertRow(table: string, row: object): SqlPart {
  const entries = Object.entries(row).filter(([, value]) => value !== undefined)
  const names = entries.map(([name]) => column(name))
  return part`insert into ${identifier(table)} (${joined(names, ', ')}) values (${joined(entries.map(valueOf), ', ')})`
}

/** An update of one row. A `status` changes only with a line of its history: see `DealDraft`. */
export function updateRow(table: string, id: string, fields: object): SqlPart {
  const sets = Object.entries(fields).map(entry => part`${column(entry[0])} = ${valueOf(entry)}`)
  return part`update ${identifier(table)} set ${joined(sets, ', ')} where id = ${id}`
}

/** `id` is a value or a subquery. */
export const negotiationBy = (id: SqlPart) =>
  sql<NegotiationRow>`select * from ap2_negotiation where id = (${id})`
export const lockNegotiation = (id: SqlPart) =>
  sql<NegotiationRow>`select * from ap2_negotiation where id = (${id}) for update`
/** Subqueries about a negotiation, for statements that are sent before it is read. */
const of = (negotiation: SqlPart, columns: SqlPart) =>
  part`select ${columns} from ap2_negotiation where id = (${negotiation})`
export const agentsOf = (negotiation: SqlPart) =>
  part`${of(negotiation, part`buyer_agent_id`)} union all ${of(negotiation, part`seller_agent_id`)}`
export const sellerAccountOf = (negotiation: SqlPart) => of(negotiation, part`seller_account_id`)
/** Who owes what a lost chargeback takes from the seller: its organization, else its account. */
export const debtorOf = (negotiation: SqlPart) =>
  of(negotiation, part`coalesce(seller_organization_id, seller_account_id)`)
export const currencyOf = (negotiation: SqlPart) => of(negotiation, part`currency`)
/** Type and id of the owner of the wallet that pays: the buying agent, else the organization, else the account. */
export const payerOf = (negotiation: SqlPart) =>
  of(
    negotiation,
    part`case when buyer_agent_id is not null then 'AGENT' when buyer_organization_id is not null then 'ORGANIZATION' else 'USER' end,
      coalesce(buyer_agent_id, buyer_organization_id, buyer_account_id)`,
  )
/** The same of the selling agent. */
export const sellerOf = (negotiation: SqlPart) => of(negotiation, part`'AGENT', seller_agent_id`)
export const sellerAgentOf = (negotiation: SqlPart) => part`(${of(negotiation, part`seller_agent_id`)})`
export const escrowById = (id: string) => sql<EscrowRow>`select * from ap2_escrow where id = ${id}`
/** The newest escrow that a request reserved. */
export const escrowOfRequest = (requestId: string) => sql<EscrowRow>`
  select * from ap2_escrow where request_id = ${requestId} order by created_at desc, id desc limit 1`
export const milestoneById = (id: string) => sql<MilestoneRow>`select * from ap2_milestone where id = ${id}`
export const disputeById = (id: string) => sql<DisputeRow>`select * from ap2_dispute where id = ${id}`

export const deliveryById = (id: string) => sql<DeliveryRow>`select * from ap2_delivery where id = ${id}`
export const keepScreenshot = (deliveryId: string, sha256: string, png: Buffer) => sql`
  insert into ap2_screenshot (delivery_id, sha256, png) values (${deliveryId}, ${sha256}, ${png}) on conflict do nothing`
export const screenshotOf = (deliveryId: string) =>
  sql<{
    png: Buffer
    sha256: string
  }>`select png, sha256 from ap2_screenshot where delivery_id = ${deliveryId}`
/** Waits for deals of the agent that are being funded, and keeps further ones waiting: for a revocation of its keys. */
export const lockAgentDeals = (agentId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`ap2 agent ${agentId}`}, 0))`

/**
 * The other side of that lock, for a deal that is being funded. Locks the limits of the agents too: they come before ledger
 * accounts. `agents` is a subquery of ids.
 */
export const lockFundingOf = (agents: SqlPart) => sql`
  select pg_advisory_xact_lock_shared(hashtextextended('ap2 agent ' || id, 0)), ${lockOfLimits(part`ordered.id`)} from (select id from (${agents}) a (id)
    where id is not null group by id order by id) ordered`

/** Locks the deals of an agent that have not ended, by id. */
export const lockLiveDealsOf = (agentId: string) => sql`
  select from ap2_negotiation where (seller_agent_id = ${agentId} or buyer_agent_id = ${agentId}) and ended_at is null
  order by id for update`

export const liveDealsOfAgent = (agentId: string) => sql<{ negotiationId: string; status: string }>`
  select e.negotiation_id, e.status from ap2_escrow e join ap2_negotiation n on n.id = e.negotiation_id
  where e.status in ('PENDING_FUNDING', 'HELD', 'DISPUTED', 'FROZEN') and (n.seller_agent_id = ${agentId} or n.buyer_agent_id = ${agentId}) order by e.negotiation_id`

/** The escrows of an agent that are frozen for a reason, in the order of their deals. */
export const escrowsFrozenFor = (agentId: string, reason: string) => sql<
  EscrowRow & { sellerAgentId: string | null }
>`
  select e.*, n.seller_agent_id from ap2_escrow e join ap2_negotiation n on n.id = e.negotiation_id
  where e.status = 'FROZEN' and ${reason} = any(e.freezes)
    and (n.seller_agent_id = ${agentId} or n.buyer_agent_id = ${agentId}) order by e.negotiation_id`

/** Deals to which one of some accounts and organizations is a party: where an organization is one, its account is none. */
export const isPartyAmong = (partyIds: readonly string[]) => part`(
  buyer_organization_id = any(${partyIds}::uuid[]) or seller_organization_id = any(${partyIds}::uuid[])
  or (buyer_account_id = any(${partyIds}::uuid[]) and buyer_organization_id is null)
  or (seller_account_id = any(${partyIds}::uuid[]) and seller_organization_id is null))`

/** Deals of some parties that are not funded, and those of another party that one of their wallets is about to fund. */
export const unfundedDealsOf = (partyIds: readonly string[]) => sql<{ id: string; isParty: boolean }>`
  select id, bool_or(is_party) as is_party from (
    select id, true as is_party from ap2_negotiation
    where status in ('PENDING', 'COUNTERED', 'ACCEPTED') and ${isPartyAmong(partyIds)}
    union all select negotiation_id, false from ap2_escrow
    where status = 'PENDING_FUNDING' and buyer_wallet_id in (${walletErasure.walletsOfOwners(partyIds)})) found
  group by id order by id`

/** A claimed agent's live deals follow it to its owner; one that thereby has one owner on both sides is a self-deal. */
export const moveDealsToOwner = (agentId: string, accountId: string) => sql`
  update ap2_negotiation set
    seller_account_id = case when seller_agent_id = ${agentId} then ${accountId}::uuid else seller_account_id end,
    buyer_account_id = case when buyer_agent_id = ${agentId} then ${accountId}::uuid else buyer_account_id end,
    self_deal = self_deal or (case when seller_agent_id = ${agentId} then ${accountId}::uuid else seller_account_id end)
      = (case when buyer_agent_id = ${agentId} then ${accountId}::uuid else buyer_account_id end)
  where (seller_agent_id = ${agentId} or buyer_agent_id = ${agentId}) and ended_at is null`

export const reservedOf = (walletIds: readonly string[], asset: Asset) => sql<{
  walletId: string
  reserved: bigint
}>`
  select buyer_wallet_id as wallet_id, sum(amount - released - refunded)::bigint as reserved from ap2_escrow
  where buyer_wallet_id = any(${walletIds}::uuid[]) and currency = ${asset} and status in ('HELD', 'DISPUTED', 'FROZEN') group by 1`

/** What the keys of a service account have paid into escrow and was not returned. */
export const paidByKeysOf = (serviceAccountId: string) => sql<{ paid: bigint }>`
  select coalesce(sum(amount - refunded), 0)::bigint as paid from ap2_escrow
  where service_account_id = ${serviceAccountId} and status <> 'CANCELLED'`
