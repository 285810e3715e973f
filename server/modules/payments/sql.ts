import type { Asset } from '#platform/money'
import { json, sql } from '#platform/sql'
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
  expires_at: Date
  confirmed_at: Date | null
  created_at: Date
}

export type NewIntent = Pick<Intent, 'id' | 'purpose' | 'reference' | 'account_id' | 'amount' | 'currency' | 'rail' | 'payment_method' | 'return_url' | 'expires_at' | 'created_at'>

export const insertIntent = (row: NewIntent) => sql<Intent>`
  insert into payments_intent (id, status, purpose, reference, account_id, amount, currency, rail, payment_method, return_url, expires_at, created_at, updated_at)
  values (${row.id}, 'PENDING', ${row.purpose}, ${row.reference}, ${row.account_id}, ${row.amount}, ${row.currency}, ${row.rail}, ${row.payment_method},
    ${row.return_url}, ${row.expires_at}, ${row.created_at}, ${row.created_at})
  returning *`

export const intentById = (id: string) => sql<Intent>`select * from payments_intent where id = ${id}`
export const lockIntent = (id: string) => sql<Intent>`select * from payments_intent where id = ${id} for update`

export const setProcessorId = (id: string, processorId: string) => sql`update payments_intent set processor_id = ${processorId} where id = ${id} and processor_id is null`
export const setCheckoutId = (id: string, checkoutId: string) => sql`update payments_intent set checkout_id = ${checkoutId} where id = ${id} and checkout_id is null`

/** Whether the event is new; a second copy waits here for the transaction of the first. */
export const insertEvent = (event: { id: string; type: string; endpoint: string; body: unknown; at: Date }) => sql`
  insert into payments_event (id, type, endpoint, outcome, body, received_at)
  values (${event.id}, ${event.type}, ${event.endpoint}, 'recorded', ${json(event.body)}::jsonb, ${event.at}) on conflict (id) do nothing`

export const setOutcome = (id: string, outcome: string) => sql`update payments_event set outcome = ${outcome} where id = ${id}`
