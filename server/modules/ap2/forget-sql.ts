import { REMOVED } from '#platform/names'
import { identifier, part, sql, type SqlPart, type Statement } from '#platform/sql'
import type { Side } from './rows.ts'

const SIDES = part`id, coalesce(buyer_organization_id, buyer_account_id) as buyer, coalesce(seller_organization_id, seller_account_id) as seller,
  array[buyer_account_id, seller_account_id] as people, array_remove(array[buyer_organization_id, seller_organization_id], null) as organizations,
  ended_at is not null as ended`

/** Deals in which somebody may be named: their own, and those of organizations that they run. */
export interface Party { accountId: string | null; organizationIds: readonly string[] }

const isOf = ({ accountId, organizationIds }: Party) => part`(buyer_account_id = ${accountId} or seller_account_id = ${accountId}
  or buyer_organization_id = any(${organizationIds}::uuid[]) or seller_organization_id = any(${organizationIds}::uuid[]))`
export const dealsOf = (party: Party) => part`(select id from ap2_negotiation where ${isOf(party)})`
/** The same, but for what the account itself asks for. */
export const askedByOthers = (party: Party) => part`(select id from ap2_negotiation
  where ${isOf(party)} and (buyer_account_id <> ${party.accountId} or buyer_organization_id is not null))`

/** Whose the words of each side are: an organization's, else an account's; and who may have read the deal. */
export interface Sides { id: string; buyer: string; seller: string; people: string[]; organizations: string[]; ended: boolean }

/** Locked, so that none of them ends meanwhile. */
export const lockDealsOf = (party: Party) => sql<Sides>`
  select ${SIDES} from ap2_negotiation where ${isOf(party)} order by id for update`

export const sidesOf = (dealId: string) => sql<Sides>`select ${SIDES} from ap2_negotiation where id = ${dealId}`

export const escrowIdsOf = (dealIds: readonly string[]) =>
  sql<{ id: string }>`select id from ap2_escrow where negotiation_id = any(${dealIds}::uuid[])`

/** Milestones of others whose words may name somebody: a key stands in two tables and must stay one. */
export const milestonesNaming = (party: Party, likes: readonly string[]) =>
  sql<{ id: string; created_at: Date; milestones: { key: string; title: string; amount: string }[] }>`
    select id, created_at, milestones from ap2_negotiation where id in ${askedByOthers(party)} and lower(milestones::text) like any (${likes}::text[])`

export const renameMilestone = (dealId: string, place: number, { key, title }: { key: string; title: string }) => sql`
  update ap2_milestone set key = ${key}, title = ${title}
  where place = ${place} and escrow_id = (select id from ap2_escrow where negotiation_id = ${dealId})`

// A name that nobody can have chosen for another milestone of the deal.
export const keyOf = (dealId: string, place: number): string => `milestone-${place + 1}-${dealId.slice(-8)}`
const KEY = part`'milestone-' || place || '-' || right(n.id::text, 8)`

const among = (dealIds: readonly string[]) => part`any(${dealIds}::uuid[])`
const escrowsAmong = (dealIds: readonly string[]) => part`(select id from ap2_escrow where negotiation_id = ${among(dealIds)})`

/** What a side wrote in some deals, but the work that it delivered. */
export const wordsOf = (dealIds: readonly string[], side: Side): Statement<unknown>[] => [
  ...side === 'buyer' ? askedIn(dealIds) : [],
  sql`update ap2_negotiation set acceptance_schema = null where id = ${among(dealIds)}`,
  sql`update ap2_round set terms = null, notes = null, estimated_delivery = null
    where negotiation_id = ${among(dealIds)} and side = ${side}`,
  sql`update ap2_dispute set reason = ${REMOVED}, evidence = null
    where escrow_id in ${escrowsAmong(dealIds)} and opened_by = ${side}`,
  sql`update ap2_dispute set answer = ${REMOVED}
    where escrow_id in ${escrowsAmong(dealIds)} and opened_by <> ${side} and answer is not null`,
  withoutReasons('negotiation', among(dealIds), side),
  withoutReasons('escrow', part`any (array${escrowsAmong(dealIds)})`, side),
  withoutReasons('delivery', part`any (array${deliveriesAmong(dealIds)})`, side),
]

const deliveriesAmong = (dealIds: readonly string[]) => part`(select id from ap2_delivery where negotiation_id = ${among(dealIds)})`

const withoutReasons = (subject: string, ids: SqlPart, actor: string) => sql`
  update ${identifier(`ap2_${subject}_history`)} set details = details - 'reason'
  where subject_id = ${ids} and actor = ${actor} and details ? 'reason'`

const askedIn = (dealIds: readonly string[]): Statement<unknown>[] => [
  sql`update ap2_negotiation n set requested_service = ${REMOVED}, requirements = null, notes = null,
      milestones = (select jsonb_agg(jsonb_build_object('key', ${KEY}, 'title', ${REMOVED}::text, 'amount', m->'amount') order by place)
        from jsonb_array_elements(milestones) with ordinality as l (m, place))
    where id = ${among(dealIds)}`,
  sql`update ap2_milestone set title = ${REMOVED}, key = n.key from (
      select e.id as escrow_id, m.place, case when n.milestones is null then m.key else ${keyIn()} end as key
      from ap2_negotiation n join ap2_escrow e on e.negotiation_id = n.id join ap2_milestone m on m.escrow_id = e.id
      where n.id = ${among(dealIds)}) n
    where ap2_milestone.escrow_id = n.escrow_id and ap2_milestone.place = n.place`,
  sql`update ap2_escrow set purpose = null, memo = null, metadata = null where negotiation_id = ${among(dealIds)}`,
]

// Places count from 0 in the table and from 1 in the agreed list.
const keyIn = () => part`'milestone-' || (m.place + 1) || '-' || right(n.id::text, 8)`

// The last attempt at a milestone of which the buyer paid anything.
const PAID = part`exists (select from ap2_milestone m where m.id = ap2_delivery.milestone_id and m.released > 0)
  and attempt = (select max(attempt) from ap2_delivery d where d.milestone_id = ap2_delivery.milestone_id)`
const VERDICT = part`case when report is not null then jsonb_build_object('ok', report->'ok', 'code', report->'code',
  'reason', ${REMOVED}::text, 'verifier', report->'verifier', 'checkedAt', report->'checkedAt') end`

/** What a seller said of its deliveries and what they showed; with `paid`, also the work that the buyers have paid for. */
export const workOf = (dealIds: readonly string[], { paid }: { paid: boolean }): Statement<unknown>[] => [
  sql`update ap2_delivery set evidence = null, notes = null, hints = null, report = ${VERDICT} where negotiation_id = ${among(dealIds)}`,
  sql`update ap2_delivery set result = null, deliverable_url = null, artifacts = null
    where negotiation_id = ${among(dealIds)} and (${paid} or not (${PAID}))`,
  sql`delete from ap2_screenshot where delivery_id in ${deliveriesAmong(dealIds)}`,
  withoutReasons('delivery', part`any (array${deliveriesAmong(dealIds)})`, 'verifier'),
]

/** What an operator said when deciding others' deals. */
export const decisionsBy = (operatorId: string): Statement<unknown>[] => ['negotiation', 'escrow'].map(subject => sql`
  update ${identifier(`ap2_${subject}_history`)} set details = details - 'reason'
  where actor = 'operator' and actor_id = ${operatorId} and details ? 'reason'`)
