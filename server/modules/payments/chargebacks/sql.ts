import { part, sql } from '#platform/kernel/sql'
import type { Intent } from '../sql.ts'
import type { ChargebackStatus } from './machine.ts'

export interface Chargeback {
  id: string
  status: ChargebackStatus
  disputeId: string
  paymentId: string
  cents: bigint
  feeCents: bigint
  reason: string
  respondBy: Date | null
  evidenceBegunAt: Date | null
  evidenceAt: Date | null
  askAt: Date | null
  closedAt: Date | null
  openedJournalId: string
  closedJournalId: string | null
  createdAt: Date
  updatedAt: Date
}

type NewChargeback = Pick<
  Chargeback,
  'id' | 'disputeId' | 'paymentId' | 'reason' | 'respondBy' | 'openedJournalId' | 'createdAt'
> & { cents: number; feeCents: number; askAt: Date }

export const insertChargeback = (row: NewChargeback) => sql<Chargeback>`
  insert into payments_chargeback (id, status, dispute_id, payment_id, cents, fee_cents, reason, respond_by, ask_at, opened_journal_id,
    created_at, updated_at)
  values (${row.id}, 'NEEDS_RESPONSE', ${row.disputeId}, ${row.paymentId}, ${row.cents}, ${row.feeCents}, ${row.reason}, ${row.respondBy},
    ${row.askAt}, ${row.openedJournalId}, ${row.createdAt}, ${row.createdAt}) returning *`

/** How much of a payment is disputed, decided or not, except what was won. */
export const disputedCents = (paymentId: string) => sql<{ cents: bigint }>`
  select coalesce(sum(cents), 0)::bigint as cents from payments_chargeback where payment_id = ${paymentId} and status <> 'WON'`

/** What lost chargebacks of a payment took from each account. */
export const lostParts = (paymentId: string) => sql<{ account: string; amount: bigint }>`
  select part->>'account' as account, sum((part->>'amount')::bigint)::bigint as amount
  from payments_chargeback, jsonb_array_elements(lost_parts) part where payment_id = ${paymentId} group by 1`

export const chargebackById = (id: string) => sql<Chargeback>`
  select * from payments_chargeback where id = ${id}`
export const chargebackOfDispute = (disputeId: string) => sql<Chargeback>`
  select * from payments_chargeback where dispute_id = ${disputeId}`

/** Takes the right to hand in evidence, which one caller has until `before` that moment passed or the processor had it. */
export const beginEvidence = (id: string, now: Date, before: Date) => sql<Chargeback>`
  update payments_chargeback set evidence_begun_at = ${now}
  where id = ${id} and status = 'NEEDS_RESPONSE' and evidence_at is null and (evidence_begun_at is null or evidence_begun_at < ${before})
  returning *`
export const endEvidence = (id: string, at: Date | null) => sql`
  update payments_chargeback set evidence_begun_at = null, evidence_at = coalesce(evidence_at, ${at}) where id = ${id}`

export const setDisputeFee = (id: string, cents: number) => sql`
  update payments_chargeback set fee_cents = ${cents} where id = ${id}`
export const askAgain = (id: string, at: Date) => sql`
  update payments_chargeback set ask_at = ${at} where id = ${id} and ask_at is not null`

const withStatus = (status: ChargebackStatus | undefined) =>
  status === undefined ? part`true` : part`status = ${status}`

export const chargebacks = (
  status: ChargebackStatus | undefined,
  page: { limit: number; offset: number },
) => sql<Chargeback>`
  select * from payments_chargeback where ${withStatus(status)} order by created_at desc, id desc limit ${page.limit} offset ${page.offset}`
export const countChargebacks = (status: ChargebackStatus | undefined, atMost: number) => sql<{
  counted: number
}>`
  select count(*)::int as counted from (select from payments_chargeback where ${withStatus(status)} limit ${atMost}) as found`

export const paymentsOf = (ids: readonly string[]) => sql<Intent>`
  select * from payments_intent where id = any(${ids}::uuid[])`
