import type { Asset } from '#platform/money'
import { json, part, sql } from '#platform/sql'
import type { IntentStatus } from './intent-machine.ts'

export interface Intent {
  id: string
  status: IntentStatus
  purpose: string
  reference: string
  account_id: string
  amount: bigint
  currency: Asset
  rail: 'card' | 'checkout'
  payment_method: string | null
  return_url: string | null
  processor_id: string | null
  checkout_id: string | null
  failure_code: string | null
  failure_message: string | null
  journal_id: string | null
  /** The processor's fee as it was booked; null while nothing is. */
  fee_cents: bigint | null
  /** When the processor is asked what became of the payment; null once that is known. */
  ask_at: Date | null
  asks: number
  expires_at: Date
  confirmed_at: Date | null
  created_at: Date
}

export type NewIntent = Pick<Intent,
  'id' | 'purpose' | 'reference' | 'account_id' | 'amount' | 'currency' | 'rail' | 'payment_method'
  | 'return_url' | 'expires_at' | 'created_at'> & { ask_at: Date }

/** No row where the payment is there already. */
export const insertIntent = (row: NewIntent) => sql<Intent>`
  insert into payments_intent (id, status, purpose, reference, account_id, amount, currency, rail, payment_method,
    return_url, ask_at, expires_at, created_at, updated_at)
  values (${row.id}, 'PENDING', ${row.purpose}, ${row.reference}, ${row.account_id}, ${row.amount}, ${row.currency}, ${row.rail}, ${row.payment_method},
    ${row.return_url}, ${row.ask_at}, ${row.expires_at}, ${row.created_at}, ${row.created_at})
  on conflict (id) do nothing returning *`

export const intentById = (id: string) => sql<Intent>`select * from payments_intent where id = ${id}`
export const lockIntent = (id: string) => sql<Intent>`select * from payments_intent where id = ${id} for update`

/** Whether the payment may still be charged; nobody asks what became of it while that is under way. */
export const startCharge = (id: string, now: Date, askAt: Date) => sql`
  update payments_intent set ask_at = greatest(ask_at, ${askAt})
  where id = ${id} and status = 'PENDING' and expires_at > ${now}`
export const postponeAsk = (id: string, at: Date) => sql`
  update payments_intent set ask_at = ${at}, asks = asks + 1 where id = ${id}`

export const askNow = (id: string, now: Date) => sql`
  update payments_intent set ask_at = least(ask_at, ${now}) where id = ${id} and status = 'PENDING'`

export const stopAsking = (id: string) => sql`update payments_intent set ask_at = null where id = ${id}`

export const lockProcessorId = (processorId: string) => sql`
  select pg_advisory_xact_lock(hashtextextended(${`processor ${processorId}`}, 0))`
export const intentOfProcessorId = (processorId: string) => sql<Intent>`
  select * from payments_intent where processor_id = ${processorId}`
export const setProcessorId = (id: string, processorId: string) => sql`update payments_intent set processor_id = ${processorId} where id = ${id} and processor_id is null`
export const setFee = (id: string, cents: number) => sql`update payments_intent set fee_cents = ${cents} where id = ${id}`
export const setCheckoutId = (id: string, checkoutId: string) => sql`update payments_intent set checkout_id = ${checkoutId} where id = ${id} and checkout_id is null`

export type SuspenseReason = 'MISMATCH' | 'PAID_TWICE' | 'UNKNOWN_PAYMENT'
export interface Suspense {
  processorId: string
  paymentId: string
  reason: SuspenseReason
  cents: number
  feeCents: number
  currency: string
  booked: boolean
  at: Date
}

/** Whether the money is new; a second copy waits here for the transaction of the first. */
export const insertSuspense = (row: Suspense) => sql`
  insert into payments_suspense (processor_id, payment_id, reason, cents, fee_cents, currency, booked, created_at)
  values (${row.processorId}, ${row.paymentId}, ${row.reason}, ${row.cents}, ${row.feeCents}, ${row.currency},
    ${row.booked}, ${row.at})
  on conflict (processor_id) do nothing`

/** Takes money out of suspense, once; answers what was posted for it. */
export const settleSuspense = (processorId: string, now: Date) => sql<{ cents: bigint; fee_cents: bigint; booked: boolean }>`
  update payments_suspense set settled_at = ${now}, resolution = 'BOOKED'
  where processor_id = ${processorId} and settled_at is null returning cents, fee_cents, booked`

export type Resolution = 'BOOKED' | 'ASSIGNED' | 'RETURNED'
export interface SuspenseRow {
  processor_id: string
  payment_id: string
  reason: SuspenseReason
  cents: bigint
  fee_cents: bigint
  currency: string
  booked: boolean
  created_at: Date
  settled_at: Date | null
  resolution: Resolution | null
  journal_id: string | null
}

export const lockSuspense = (processorId: string) => sql<SuspenseRow>`select * from payments_suspense where processor_id = ${processorId} for update`

export const resolveSuspense = (processorId: string, how: { resolution: Resolution; journalId: string | null; now: Date }) => sql<SuspenseRow>`
  update payments_suspense set settled_at = ${how.now}, resolution = ${how.resolution}, journal_id = ${how.journalId}
  where processor_id = ${processorId} returning *`

const isOpen = (open: boolean | undefined) => (open === undefined ? part`true` : part`(settled_at is null) = ${open}`)

export const suspenseRows = (open: boolean | undefined, page: { limit: number; offset: number }) => sql<SuspenseRow>`
  select * from payments_suspense where ${isOpen(open)} order by created_at desc, processor_id limit ${page.limit} offset ${page.offset}`

export const countSuspense = (open: boolean | undefined, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from payments_suspense where ${isOpen(open)} limit ${atMost}) as found`

/**
 * What needs the operator: money in suspense, payments whose outcome the processor has not reported for 15 minutes (a
 * hosted page after its time to pay), and every report that moved money and could not be posted.
 */
export const waitingForOperator = (now: Date) => sql<{ suspended: number; unanswered: number; unposted: number }>`
  select (select count(*)::int from payments_suspense where settled_at is null) as suspended,
    (select count(*)::int from payments_intent
      where ask_at is not null and case rail when 'card' then created_at else expires_at end <= ${now}::timestamptz - interval '15 minutes') as unanswered,
    (select count(*)::int from payments_event where outcome in ('mismatch', 'dispute', 'refund')) as unposted`

/** Whether the event is new; a second copy waits here for the transaction of the first. */
export const insertEvent = (event: { id: string; type: string; endpoint: string; body: unknown; at: Date }) => sql`
  insert into payments_event (id, type, endpoint, outcome, body, received_at)
  values (${event.id}, ${event.type}, ${event.endpoint}, 'recorded', ${json(event.body)}::jsonb, ${event.at}) on conflict (id) do nothing`

export const setOutcome = (id: string, outcome: string) => sql`update payments_event set outcome = ${outcome} where id = ${id}`
