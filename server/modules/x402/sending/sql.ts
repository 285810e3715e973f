import { sql } from '#platform/kernel/sql'
import type { Hex } from '../chain/port.ts'
import type { SendingStatus } from './machine.ts'

export interface Sending {
  id: string
  status: SendingStatus
  network: string
  toAddress: Hex
  amount: bigint
  nonce: Hex
  /** Unix seconds; null before the first attempt. */
  validBefore: bigint | null
  txHash: Hex | null
  blockNumber: bigint | null
  /** Micro-dollars. */
  gas: bigint | null
  attempts: number
  retryAt: Date | null
  /** What the token answered to the last attempt. */
  refusal: string | null
  failureCode: string | null
  failureMessage: string | null
  giveUpAt: Date
  createdAt: Date
}

/** No row where it is there already: its nonce follows from the id, so either of the two constraints may say so first. */
export const insertSending = (
  row: Pick<Sending, 'id' | 'network' | 'toAddress' | 'amount' | 'nonce' | 'giveUpAt'> & {
    real: Date
    now: Date
  },
) => sql<Sending>`
  insert into x402_sending (id, status, network, to_address, amount, nonce, retry_at, give_up_at, created_at, updated_at)
  values (${row.id}, 'PENDING', ${row.network}, ${row.toAddress}, ${row.amount}, ${row.nonce}, ${row.real}, ${row.giveUpAt},
    ${row.now}, ${row.now})
  on conflict do nothing returning *`

export const sendingById = (id: string) => sql<Sending>`select * from x402_sending where id = ${id}`
export const lockSending = (id: string) =>
  sql<Sending>`select * from x402_sending where id = ${id} for update`
export const dueSendings = (real: Date) => sql<{ id: string }>`
  select id from x402_sending where retry_at <= ${real} order by retry_at limit 50`

/** Takes a sending for one attempt: no row if another process has it. */
export const startAttempt = (id: string, real: Date, until: Date) => sql<Sending>`
  update x402_sending set attempts = attempts + 1, retry_at = ${until} where id = ${id} and retry_at <= ${real} returning *`
export const postpone = (id: string, at: Date) =>
  sql`update x402_sending set retry_at = ${at} where id = ${id} and retry_at is not null`
/** After several refusals nothing new is sent: it fails when the authorization that was sent has expired. */
export const refuse = (id: string, refusal: string, giveUpAt: Date) => sql`
  update x402_sending set refusal = ${refusal}, give_up_at = least(give_up_at, ${giveUpAt}) where id = ${id}`
export const setTransaction = (id: string, txHash: string) =>
  sql`update x402_sending set tx_hash = ${txHash} where id = ${id}`

/**
 * The managed addresses and deposit addresses whose money was posted to custody, for a payout that needs more than the hot
 * address has; the latest first, because older ones are mostly empty. No payment needs to name them.
 */
export const receivingAddresses = (network: string) => sql<{ payTo: Hex; depositIndex: number | null }>`
  select t.pay_to, p.deposit_index from (select pay_to, max(created_at) as last from x402_transfer
      where network = ${network} and status = 'FINAL' and journal_id is not null group by pay_to) t
    left join x402_payment p on p.pay_to = t.pay_to and p.holder = 'DEPOSIT' order by t.last desc, t.pay_to`
