import { part, sql } from '#platform/kernel/sql'
import type { ChainTransfer, Hex } from '../chain/port.ts'
import type { Payment } from '../payment/sql.ts'

export type SuspenseReason = 'UNDERPAID' | 'OVERPAID' | 'PAID_TWICE' | 'UNMATCHED' | 'WRONG_TOKEN'
export type Resolution = 'ASSIGNED' | 'RETURNING' | 'RETURNED'

export interface TransferRow {
  id: string
  status: 'SEEN' | 'FINAL' | 'DROPPED'
  network: string
  token: Hex
  txHash: Hex
  logIndex: number
  blockNumber: bigint
  blockHash: Hex
  payer: Hex
  payTo: Hex
  /** Numeric: a token that is not ours may have any number of units. */
  amount: string
  paymentId: string | null
  reason: SuspenseReason | null
  journalId: string | null
  resolution: Resolution | null
  exitJournalId: string | null
  returnId: string | null
  settledAt: Date | null
  createdAt: Date
}

/** The addresses whose transfers are recorded, and since when a transfer to one may have come (real time). */
export const watchedAddresses = (now: Date) => sql<{ payTo: Hex; since: Date }>`
  select pay_to, min(requested_at) as since from x402_payment where watch_until > ${now} group by pay_to`

export const cursorOf = (network: string) =>
  sql<{ blockNumber: bigint }>`select block_number from x402_cursor where network = ${network}`
export const setCursor = (network: string, block: bigint) => sql`
  insert into x402_cursor (network, block_number) values (${network}, ${block})
  on conflict (network) do update set block_number = excluded.block_number`

export const seenTransfers = (network: string) => sql<TransferRow>`
  select * from x402_transfer where network = ${network} and status = 'SEEN' order by block_number, log_index`

export const seenTransfersOf = (network: string, txHash: string) => sql<TransferRow>`
  select * from x402_transfer where network = ${network} and tx_hash = ${txHash} and status = 'SEEN' order by log_index`

export const lockTransfer = (id: string) =>
  sql<TransferRow>`select * from x402_transfer where id = ${id} for update`
export const lockTransferOfLog = (network: string, { txHash, logIndex }: ChainTransfer) => sql<TransferRow>`
  select * from x402_transfer where network = ${network} and tx_hash = ${txHash} and log_index = ${logIndex} for update`

/**
 * Which of these logs are recorded in the block that they are in now, or were final in a block that was replaced: there the
 * same transfer may have had another place in the block.
 */
export const recordedLogs = (network: string, found: readonly ChainTransfer[]) => sql<{
  txHash: Hex
  logIndex: number
}>`
  select log.tx_hash, log.log_index from x402_transfer t,
    unnest(${found.map(each => each.txHash)}::text[], ${found.map(each => each.logIndex)}::int[],
      ${found.map(each => each.blockHash)}::text[], ${found.map(each => each.token)}::text[],
      ${found.map(each => each.payer)}::text[], ${found.map(each => each.payTo)}::text[],
      ${found.map(each => each.amount.toString())}::numeric[])
      as log (tx_hash, log_index, block_hash, token, payer, pay_to, amount)
  where t.network = ${network} and t.tx_hash = log.tx_hash
    and case when t.log_index = log.log_index then t.status = 'FINAL' or (t.status = 'SEEN' and t.block_hash = log.block_hash)
      else t.status = 'FINAL' and t.block_hash <> log.block_hash
        and (lower(t.token), t.payer, t.pay_to, t.amount) = (lower(log.token), log.payer, log.pay_to, log.amount) end`

/** Inserts a transfer, or brings back one whose block had been replaced. */
export const upsertTransfer = (
  row: ChainTransfer & {
    id: string
    network: string
    paymentId: string | null
    reason: SuspenseReason | null
    now: Date
  },
) => sql<TransferRow>`
  insert into x402_transfer (id, status, network, token, tx_hash, log_index, block_number, block_hash, payer, pay_to, amount,
    payment_id, reason, created_at, updated_at)
  values (${row.id}, 'SEEN', ${row.network}, ${row.token}, ${row.txHash}, ${row.logIndex}, ${row.blockNumber}, ${row.blockHash},
    ${row.payer}, ${row.payTo}, ${row.amount.toString()}::numeric, ${row.paymentId}, ${row.reason}, ${row.now}, ${row.now})
  on conflict (network, tx_hash, log_index) do update set status = 'SEEN', block_number = excluded.block_number,
    block_hash = excluded.block_hash, token = excluded.token, payer = excluded.payer, pay_to = excluded.pay_to, amount = excluded.amount,
    payment_id = excluded.payment_id, reason = excluded.reason, updated_at = excluded.updated_at
  returning *`

export const moveTransfer = (id: string, { blockNumber, blockHash }: ChainTransfer) => sql`
  update x402_transfer set block_number = ${blockNumber}, block_hash = ${blockHash} where id = ${id}`
export const dropTransfer = (id: string, now: Date) =>
  sql`update x402_transfer set status = 'DROPPED', updated_at = ${now} where id = ${id}`
export const finishTransfer = (
  id: string,
  { reason, journalId, now }: { reason: SuspenseReason | null; journalId: string | null; now: Date },
) => sql`
  update x402_transfer set status = 'FINAL', reason = ${reason}, journal_id = ${journalId}, updated_at = ${now} where id = ${id}`

/** Which of these payments a transfer pays that is not final yet. A payment that had ended shows it only when it is LATE. */
export const paymentsBeingPaid = (ids: readonly string[]) => sql<{ paymentId: string }>`
  select payment_id from x402_transfer where status = 'SEEN' and reason is null and payment_id = any(${ids}::uuid[])`

type Arrived = Pick<ChainTransfer, 'payTo' | 'amount'>

/**
 * The payments that a transfer may pay, locked, the oldest first: those to its address that are not paid, of its amount or
 * PENDING, while transfers for them are recorded.
 */
export const lockPayable = ({ payTo, amount }: Arrived, now: Date) => sql<Payment>`
  select * from x402_payment where pay_to = ${payTo} and status in ('PENDING', 'VERIFIED', 'SETTLING', 'EXPIRED', 'FAILED')
    and (status = 'PENDING' or amount = ${amount.toString()}::numeric) and watch_until > ${now}
  order by created_at, id for update`

/** The oldest payment that was paid with such a transfer, while transfers for it are recorded. */
export const paidBefore = ({ payTo, amount }: Arrived, now: Date) => sql<Payment>`
  select * from x402_payment where pay_to = ${payTo} and status in ('CONFIRMED', 'FINAL', 'LATE') and holder <> 'PROVIDED'
    and amount = ${amount.toString()}::numeric and watch_until > ${now}
  order by created_at, id limit 1`

/** Whether a payment says that the address is the seller's own. */
export const isProvided = (payTo: string, now: Date) => sql<{ provided: boolean }>`
  select exists (select from x402_payment where pay_to = ${payTo} and holder = 'PROVIDED' and watch_until > ${now}) as provided`

/** Which of these addresses the service holds the keys of, or a payment names. */
export const knownAddresses = (addresses: readonly string[]) => sql<{ address: string; holder: string }>`
  select pay_to as address, min(holder) as holder from x402_payment where pay_to = any(${addresses}::text[]) group by pay_to`

const isOpen = (open: boolean | undefined) =>
  open === undefined ? part`true` : part`(settled_at is null) = ${open}`

export const suspendedTransfers = (
  open: boolean | undefined,
  page: { limit: number; offset: number },
) => sql<TransferRow>`
  select * from x402_transfer where reason is not null and status = 'FINAL' and ${isOpen(open)}
  order by created_at desc, id limit ${page.limit} offset ${page.offset}`

export const countSuspended = (open: boolean | undefined, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from x402_transfer
    where reason is not null and status = 'FINAL' and ${isOpen(open)} limit ${atMost}) as found`

export const resolveTransfer = (
  id: string,
  how: { resolution: Resolution; exitJournalId: string | null; returnId: string | null; now: Date },
) => sql<TransferRow>`
  update x402_transfer set settled_at = ${how.now}, resolution = ${how.resolution}, exit_journal_id = ${how.exitJournalId},
    return_id = ${how.returnId}, updated_at = ${how.now}
  where id = ${id} returning *`

/** A return that failed: the transfer waits for an operator again. */
export const reopenTransfer = (id: string, now: Date) => sql`
  update x402_transfer set settled_at = null, resolution = null, return_id = null, updated_at = ${now} where id = ${id}`

export const returningTransfers = () =>
  sql<TransferRow>`select * from x402_transfer where resolution = 'RETURNING' order by settled_at limit 50`
