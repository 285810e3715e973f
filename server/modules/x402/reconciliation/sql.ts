import { isId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import type { Hex } from '../chain/port.ts'
import type { PaymentStatus } from '../payment/machine.ts'
import type { Sending } from '../sending/sql.ts'
import type { TransferRow } from '../watch/sql.ts'

interface Period {
  from: Date
  to: Date
}

/** A recorded transfer with the payment that it pays, if any. */
export type RecordedTransfer = TransferRow & {
  paymentStatus: PaymentStatus | null
  paymentAmount: bigint | null
}

/** Transfers of our token that were recorded in a period and count, and all of these transactions. */
export const recordedTransfers = (
  { network, token }: { network: string; token: string },
  { from, to }: Period,
  txHashes: readonly string[],
) => sql<RecordedTransfer>`
  select t.*, p.status as payment_status, p.amount as payment_amount
  from x402_transfer t left join x402_payment p on p.id = t.payment_id
  where t.network = ${network} and (t.tx_hash = any(${txHashes}::text[])
    or (t.created_at >= ${from} and t.created_at < ${to} and t.status <> 'DROPPED' and lower(t.token) = lower(${token})))`

/** The addresses of payments whose transfers were recorded at some time after a moment. */
export const addressesSince = (network: string, from: Date) => sql<{ payTo: Hex }>`
  select distinct pay_to from x402_payment where network = ${network} and watch_until > ${from} and pay_to like '0x%'`

/** What was paid or failed in a period, and the sendings with these nonces or ids; a return goes back to a payer. */
export const sendingsIn = (
  network: string,
  { from, to }: Period,
  { nonces = [], ids = [] }: { nonces?: readonly string[]; ids?: readonly string[] },
) => sql<Sending & { isReturn: boolean }>`
  select s.*, exists (select from x402_transfer t where t.return_id = s.id) as is_return from x402_sending s
  where s.network = ${network} and (s.nonce = any(${nonces}::text[]) or s.id = any(${ids.filter(isId)}::uuid[])
    or (s.status in ('PAID', 'FAILED') and s.updated_at >= ${from} and s.updated_at < ${to}))`
