import { deletedAmong } from '#identity'
import type { Tx } from '#platform/db'
import { isId } from '#platform/id'
import { forgetPayments } from '#platform/processor/sandbox-sql'
import { sql } from '#platform/sql'

const paymentsOf = (accountId: string) => sql<{ id: string }>`select id from payments_intent where account_id = ${accountId}`

const intentTexts = (ids: readonly string[]) => sql`
  update payments_intent set return_url = null, payment_method = null, failure_message = null where id = any(${ids}::uuid[])`

/** A notification may tell of the payer's name, address and card: only what it was about stays. */
const eventTexts = (ids: readonly string[]) => sql`
  update payments_event set body = jsonb_build_object('id', id, 'type', type, 'data', jsonb_build_object('object', jsonb_build_object(
    'id', body #> '{data,object,id}', 'metadata', jsonb_build_object('paymentId', body #> '{data,object,metadata,paymentId}'))))
  where body #>> '{data,object,metadata,paymentId}' = any(${ids}::text[])`

const payerOf = (paymentId: string) => sql<{ account_id: string }>`select account_id from payments_intent where id = ${paymentId}`

/** What an account's payments say beside their amounts and outcomes. Follows `account.deleted`. */
export async function forgetPaymentsOf(tx: Tx, { accountId }: { accountId: string }): Promise<void> {
  const ids = (await tx.rows(paymentsOf(accountId))).map(row => row.id)
  if (ids.length) await forget(tx, ids)
}

/** The same for a payment of which the processor tells (`object`) after its payer was deleted. */
export async function forgetIfDeleted(tx: Tx, object: { metadata?: { paymentId?: unknown } | null }): Promise<void> {
  const paymentId = object.metadata?.paymentId
  if (typeof paymentId !== 'string' || !isId(paymentId)) return
  const payer = await tx.maybe(payerOf(paymentId))
  if (payer && (await deletedAmong(tx, [payer.account_id])).size) await forget(tx, [paymentId])
}

async function forget(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(intentTexts(ids))
  await tx.run(eventTexts(ids))
  for (const statement of forgetPayments(ids)) await tx.run(statement)
}
