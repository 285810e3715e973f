import { erasure } from '#identity'
import type { Tx } from '#platform/kernel/db'
import { isId } from '#platform/kernel/id'
import { eraseSandboxAccount, eraseSandboxPayments } from './processors/sandbox/sql.ts'
import { sql } from '#platform/kernel/sql'

const paymentsOf = (accountId: string) =>
  sql<{ id: string }>`select id from payments_intent where account_id = ${accountId}`

const intentTexts = (ids: readonly string[]) => sql`
  update payments_intent set return_url = null, cancel_url = null, checkout_url = null, payment_method = null, failure_message = null where id = any(${ids}::uuid[])`

/** A notification may contain the payer's name, address and card: only its subject stays. */
const eventTexts = (ids: readonly string[]) => sql`
  update payments_event set body = jsonb_build_object('id', id, 'type', type, 'data', jsonb_build_object('object', jsonb_build_object(
    'id', body #> '{data,object,id}', 'metadata', jsonb_build_object('paymentId', body #> '{data,object,metadata,paymentId}'))))
  where body #>> '{data,object,metadata,paymentId}' = any(${ids}::text[])`

const payerOf = (paymentId: string) =>
  sql<{ accountId: string }>`select account_id from payments_intent where id = ${paymentId}`

/** Erases what an account's payments contain beside their amounts and outcomes. */
export async function erasePaymentsOf(tx: Tx, accountId: string): Promise<void> {
  await tx.run(sql`delete from payments_card where account_id = ${accountId}`)
  const ids = (await tx.rows(paymentsOf(accountId))).map(row => row.id)
  if (ids.length) await erase(tx, ids)
}

/** Erases a payment that a notification (`object`) is about, if its payer was deleted. */
export async function eraseIfPayerDeleted(
  tx: Tx,
  object: { metadata?: { paymentId?: unknown } | null },
): Promise<void> {
  const paymentId = object.metadata?.paymentId
  if (typeof paymentId !== 'string' || !isId(paymentId)) return
  const payer = await tx.maybe(payerOf(paymentId))
  if (payer && (await erasure.deletedAmong(tx, [payer.accountId])).size) await erase(tx, [paymentId])
}

async function erase(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(intentTexts(ids))
  await tx.run(eventTexts(ids))
  for (const statement of eraseSandboxPayments(ids)) await tx.run(statement)
}

/** Erases what the simulated processor stores of the holder of a connected account that is disconnected. */
export async function eraseConnectedAccount(tx: Tx, processorAccountId: string): Promise<void> {
  for (const statement of eraseSandboxAccount(processorAccountId)) await tx.run(statement)
}
