import { eraseArtifactsOf } from '#vault'
import { identifier, part, sql, type SqlPart, type Statement } from '#platform/kernel/sql'
import type { Side } from '../deal/rows.ts'
import { isPartyAmong } from '../deal/sql.ts'

/** The content of an erased field that cannot be empty. */
const REMOVED = '[removed]'

/** Who authors the text of each party: its organization, else its account. */
interface Parties {
  id: string
  buyer: string
  seller: string
  ended: boolean
}

/** Locks every deal to which one of some accounts and organizations is a party. */
export const lockDealsOf = (partyIds: readonly string[]) => sql<Parties>`
  select id, coalesce(buyer_organization_id, buyer_account_id) as buyer,
    coalesce(seller_organization_id, seller_account_id) as seller, ended_at is not null as ended
  from ap2_negotiation where ${isPartyAmong(partyIds)} order by id for update`

// Unique within the deal, whatever keys its other milestones have.
const KEY = part`'milestone-' || place || '-' || right(n.id::text, 8)`

const among = (dealIds: readonly string[]) => part`any(${dealIds}::uuid[])`
const escrowsAmong = (dealIds: readonly string[]) =>
  part`(select id from ap2_escrow where negotiation_id = ${among(dealIds)})`

/** Erases the text of one party in some deals, without the work that it delivered. */
export const eraseTextOf = (dealIds: readonly string[], side: Side): Statement<unknown>[] => [
  ...(side === 'buyer' ? eraseRequest(dealIds) : []),
  sql`update ap2_negotiation set acceptance_schema = null, acceptance = null where id = ${among(dealIds)}`,
  // The buyer wrote the keys, and its checkers the details; pages of the seller are quoted in them.
  sql`update ap2_delivery_history set details = details - 'reason' where actor = 'verifier' and details ? 'reason'
    and subject_id in (select id from ap2_delivery where negotiation_id = ${among(dealIds)} and criteria is not null)`,
  sql`update ap2_delivery set criteria = null, report = ${VERDICT}
    where negotiation_id = ${among(dealIds)} and criteria is not null`,
  sql`update ap2_dispute set criteria = null where escrow_id in ${escrowsAmong(dealIds)} and criteria is not null`,
  sql`update ap2_round set terms = null, notes = null, estimated_delivery = null
    where negotiation_id = ${among(dealIds)} and side = ${side}`,
  sql`update ap2_dispute set reason = ${REMOVED}, evidence = null
    where escrow_id in ${escrowsAmong(dealIds)} and opened_by = ${side}`,
  sql`update ap2_dispute set answer = ${REMOVED}
    where escrow_id in ${escrowsAmong(dealIds)} and opened_by <> ${side} and answer is not null`,
  eraseReasons('negotiation', among(dealIds), side),
  eraseReasons('escrow', part`any (array${escrowsAmong(dealIds)})`, side),
  eraseReasons('delivery', part`any (array${deliveriesAmong(dealIds)})`, side),
  eraseCriteria('negotiation', among(dealIds)),
  eraseCriteria('escrow', part`any (array${escrowsAmong(dealIds)})`),
  eraseCriteria('delivery', part`any (array${deliveriesAmong(dealIds)})`),
]

const deliveriesAmong = (dealIds: readonly string[]) =>
  part`(select id from ap2_delivery where negotiation_id = ${among(dealIds)})`

const eraseReasons = (subject: string, ids: SqlPart, actor: string) => sql`
  update ${identifier(`ap2_${subject}_history`)} set details = details - 'reason'
  where subject_id = ${ids} and actor = ${actor} and details ? 'reason'`

const eraseCriteria = (subject: string, ids: SqlPart) => sql`
  update ${identifier(`ap2_${subject}_history`)} set details = details - 'criteria'
  where subject_id = ${ids} and details ? 'criteria'`

const eraseRequest = (dealIds: readonly string[]): Statement<unknown>[] => [
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

// The last attempt at a milestone for which the buyer has paid anything.
const PAID = part`exists (select from ap2_milestone m where m.id = ap2_delivery.milestone_id and m.released > 0)
  and attempt = (select max(attempt) from ap2_delivery d where d.milestone_id = ap2_delivery.milestone_id)`
const VERDICT = part`case when report is not null then jsonb_build_object('ok', report->'ok', 'code', report->'code',
  'reason', ${REMOVED}::text, 'verifier', report->'verifier', 'checkedAt', report->'checkedAt') end`

/** Erases what sellers wrote about their deliveries and unpaid work; with `paid` also the work that was paid for. */
export const eraseWork = (dealIds: readonly string[], { paid }: { paid: boolean }): Statement<unknown>[] => [
  sql`update ap2_delivery set evidence = null, notes = null, hints = null, report = ${VERDICT} where negotiation_id = ${among(dealIds)}`,
  ...eraseArtifactsOf(
    part`select id from ap2_delivery where negotiation_id = ${among(dealIds)} and (${paid} or not (${PAID}))`,
  ),
  sql`update ap2_delivery set result = null, deliverable_url = null, artifacts = null
    where negotiation_id = ${among(dealIds)} and (${paid} or not (${PAID}))`,
  sql`delete from ap2_screenshot where delivery_id in ${deliveriesAmong(dealIds)}`,
  eraseReasons('delivery', part`any (array${deliveriesAmong(dealIds)})`, 'verifier'),
]

/** Erases the reasons that an operator gave when deciding deals of other accounts. */
export const eraseReasonsOf = (operatorId: string): Statement<unknown>[] =>
  ['negotiation', 'escrow'].map(
    subject => sql`
  update ${identifier(`ap2_${subject}_history`)} set details = details - 'reason'
  where actor = 'operator' and actor_id = ${operatorId} and details ? 'reason'`,
  )
