import type { Asset } from '#platform/kernel/money'
import { part, sql } from '#platform/kernel/sql'
import type { IntentStatus } from './intents/machine.ts'

export interface Intent {
  id: string
  status: IntentStatus
  purpose: string
  reference: string
  accountId: string
  amount: bigint
  currency: Asset
  rail: 'card' | 'checkout'
  paymentMethod: string | null
  returnUrl: string | null
  cancelUrl: string | null
  /** Whether the payer wants receipts by mail. */
  receipt: boolean
  processorId: string | null
  checkoutId: string | null
  /** The address of the hosted page; null for a charge, and before the page was opened. */
  checkoutUrl: string | null
  failureCode: string | null
  failureMessage: string | null
  journalId: string | null
  /** The processor's fee as it was booked; null while nothing is. */
  feeCents: bigint | null
  /** When the processor is asked what became of the payment; null once that is known. */
  askAt: Date | null
  asks: number
  /** False until the charge is about to be sent; true for a hosted page, which has no charge. */
  chargeSent: boolean
  expiresAt: Date
  confirmedAt: Date | null
  createdAt: Date
}

export type NewIntent = Pick<
  Intent,
  | 'id'
  | 'purpose'
  | 'reference'
  | 'accountId'
  | 'amount'
  | 'currency'
  | 'rail'
  | 'paymentMethod'
  | 'returnUrl'
  | 'cancelUrl'
  | 'receipt'
  | 'expiresAt'
  | 'createdAt'
> & { askAt: Date }

/** No row where the payment is there already. */
export const insertIntent = (row: NewIntent) => sql<Intent>`
  insert into payments_intent (id, status, purpose, reference, account_id, amount, currency, rail, payment_method,
    return_url, cancel_url, receipt, charge_sent, ask_at, expires_at, created_at, updated_at)
  values (${row.id}, 'PENDING', ${row.purpose}, ${row.reference}, ${row.accountId}, ${row.amount}, ${row.currency}, ${row.rail}, ${row.paymentMethod},
    ${row.returnUrl}, ${row.cancelUrl}, ${row.receipt}, ${row.rail !== 'card'}, ${row.askAt}, ${row.expiresAt}, ${row.createdAt}, ${row.createdAt})
  on conflict (id) do nothing returning *`

export const intentById = (id: string) => sql<Intent>`select * from payments_intent where id = ${id}`
export const lockIntent = (id: string) =>
  sql<Intent>`select * from payments_intent where id = ${id} for update`

/**
 * Whether the payment may still be charged, which is about to happen then; nobody asks what became of it while that is under
 * way.
 */
export const startCharge = (id: string, now: Date, askAt: Date) => sql`
  update payments_intent set ask_at = greatest(ask_at, ${askAt}), charge_sent = true
  where id = ${id} and status = 'PENDING' and expires_at > ${now}`
export const postponeAsk = (id: string, at: Date) => sql`
  update payments_intent set ask_at = ${at}, asks = asks + 1 where id = ${id}`

export const askNow = (id: string, now: Date) => sql`
  update payments_intent set ask_at = least(ask_at, ${now}) where id = ${id} and status = 'PENDING'`

/** A payment on a hosted page expires now, unless another transaction has it. */
export const expireNow = (id: string, now: Date) => sql`
  update payments_intent set expires_at = least(expires_at, ${now}) where id in (
    select id from payments_intent where id = ${id} and status = 'PENDING' and rail = 'checkout' for update skip locked)`

/** A charge that was stored and never sent, unless another transaction has it. */
export const lockUnsentCharge = (id: string) => sql<Intent>`
  select * from payments_intent where id = ${id} and status = 'PENDING' and not charge_sent for update skip locked`

export const stopAsking = (id: string) => sql`update payments_intent set ask_at = null where id = ${id}`

export const lockProcessorId = (processorId: string) => sql`
  select pg_advisory_xact_lock(hashtextextended(${`processor ${processorId}`}, 0))`
export const intentOfProcessorId = (processorId: string) => sql<Intent>`
  select * from payments_intent where processor_id = ${processorId}`
export const setProcessorId = (id: string, processorId: string) =>
  sql`update payments_intent set processor_id = ${processorId} where id = ${id} and processor_id is null`
export const setFee = (id: string, cents: number) =>
  sql`update payments_intent set fee_cents = ${cents} where id = ${id}`

/** A card that an account paid with; not for a deleted account. */
export const insertCard = (accountId: string, fingerprint: string, now: Date) => sql`
  insert into payments_card (account_id, fingerprint, first_used_at)
  select id, ${fingerprint}, ${now} from identity_account where id = ${accountId} and status <> 'DELETED'
  on conflict do nothing`

export const setCheckout = (id: string, page: { checkoutId: string; url: string }) => sql`
  update payments_intent set checkout_id = ${page.checkoutId}, checkout_url = ${page.url}
  where id = ${id} and checkout_id is null`

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
export const settleSuspense = (processorId: string, now: Date) => sql<{
  cents: bigint
  feeCents: bigint
  booked: boolean
}>`
  update payments_suspense set settled_at = ${now}, resolution = 'BOOKED'
  where processor_id = ${processorId} and settled_at is null returning cents, fee_cents, booked`

export type Resolution = 'BOOKED' | 'ASSIGNED' | 'RETURNED'
export interface SuspenseRow {
  processorId: string
  paymentId: string
  reason: SuspenseReason
  cents: bigint
  feeCents: bigint
  currency: string
  booked: boolean
  createdAt: Date
  settledAt: Date | null
  resolution: Resolution | null
  journalId: string | null
}

export const lockSuspense = (processorId: string) =>
  sql<SuspenseRow>`select * from payments_suspense where processor_id = ${processorId} for update`

export const resolveSuspense = (
  processorId: string,
  how: { resolution: Resolution; journalId: string | null; now: Date },
) => sql<SuspenseRow>`
  update payments_suspense set settled_at = ${how.now}, resolution = ${how.resolution}, journal_id = ${how.journalId}
  where processor_id = ${processorId} returning *`

const isOpen = (open: boolean | undefined) =>
  open === undefined ? part`true` : part`(settled_at is null) = ${open}`

export const suspenseRows = (
  open: boolean | undefined,
  page: { limit: number; offset: number },
) => sql<SuspenseRow>`
  select * from payments_suspense where ${isOpen(open)} order by created_at desc, processor_id limit ${page.limit} offset ${page.offset}`

export const countSuspense = (open: boolean | undefined, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from payments_suspense where ${isOpen(open)} limit ${atMost}) as found`

/**
 * What needs the operator: money in suspense, payments whose outcome the processor has not reported for 15 minutes (a
 * hosted page after its time to pay), and every report that moved money and could not be posted.
 */
export const waitingForOperator = (now: Date) => sql<{
  suspended: number
  unanswered: number
  unposted: number
}>`
  select (select count(*)::int from payments_suspense where settled_at is null) as suspended,
    (select count(*)::int from payments_intent
      where ask_at is not null and case rail when 'card' then created_at else expires_at end <= ${now}::timestamptz - interval '15 minutes') as unanswered,
    (select count(*)::int from payments_event where outcome in ('mismatch', 'dispute', 'refund')) as unposted`

/** Open chargebacks for which no evidence was submitted. */
export const countUndefended = () => sql<{ count: number }>`
  select count(*)::int as count from payments_chargeback where ask_at is not null and status = 'NEEDS_RESPONSE'`

/** The fingerprint of a card would link what this installation stores to what the processor does. */
const withoutFingerprints = (key: string, value: unknown): unknown =>
  key === 'fingerprint' ? undefined : value

/** Whether the event is new; a second copy waits here for the transaction of the first. */
export const insertEvent = (
  event: { id: string; type: string; endpoint: string; body: unknown; at: Date },
  outcome = 'recorded',
) => sql`
  insert into payments_event (id, type, endpoint, outcome, body, received_at)
  values (${event.id}, ${event.type}, ${event.endpoint}, ${outcome}, ${JSON.stringify(event.body, withoutFingerprints)}::jsonb, ${event.at}) on conflict (id) do nothing`

export const outcomeOfEvent = (id: string) =>
  sql<{ outcome: string }>`select outcome from payments_event where id = ${id}`

export const countDelivery = (id: string) =>
  sql`update payments_event set deliveries = deliveries + 1 where id = ${id}`
export const setOutcome = (id: string, outcome: string) =>
  sql`update payments_event set outcome = ${outcome} where id = ${id}`
