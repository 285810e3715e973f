import { json, sql } from '#platform/kernel/sql'
import type { Hex } from '../chain/port.ts'
import type { PaymentStatus } from './machine.ts'

export type Holder = 'MANAGED' | 'DEPOSIT' | 'PROVIDED'

export interface Payment {
  id: string
  status: PaymentStatus
  purpose: string
  reference: string
  accountId: string | null
  agentId: string | null
  holder: Holder
  walletId: string | null
  depositIndex: number | null
  payTo: Hex
  amount: bigint
  network: string
  description: string
  buyerAddress: Hex | null
  paymentIdentifier: string | null
  negotiationId: string | null
  transferId: string | null
  journalId: string | null
  failure: string | null
  expiresAt: Date
  watchUntil: Date
  requestedAt: Date
  createdAt: Date
}

export type NewPayment = Omit<Payment, 'status' | 'transferId' | 'journalId' | 'failure'>

/** No row where the payment, or another with its identifier, is there already. */
export const insertPayment = (row: NewPayment) => sql<Payment>`
  insert into x402_payment (id, status, purpose, reference, account_id, agent_id, holder, wallet_id, deposit_index, pay_to,
    amount, network, description, buyer_address, payment_identifier, negotiation_id, expires_at, watch_until, requested_at,
    created_at, updated_at)
  values (${row.id}, 'PENDING', ${row.purpose}, ${row.reference}, ${row.accountId}, ${row.agentId}, ${row.holder}, ${row.walletId},
    ${row.depositIndex}, ${row.payTo}, ${row.amount}, ${row.network}, ${row.description}, ${row.buyerAddress},
    ${row.paymentIdentifier}, ${row.negotiationId}, ${row.expiresAt}, ${row.watchUntil}, ${row.requestedAt}, ${row.createdAt},
    ${row.createdAt})
  on conflict do nothing returning *`

export const paymentById = (id: string) => sql<Payment>`select * from x402_payment where id = ${id}`
export const lockPayment = (id: string) =>
  sql<Payment>`select * from x402_payment where id = ${id} for update`
/** Unless another transaction has the payment: then somebody is paying it. */
export const expireNow = (id: string, now: Date) => sql`
  update x402_payment set expires_at = least(expires_at, ${now}) where id in (
    select id from x402_payment where id = ${id} and status = 'PENDING' for update skip locked)`
export const paymentByIdentifier = (accountId: string, identifier: string) => sql<Payment>`
  select * from x402_payment where account_id = ${accountId} and payment_identifier = ${identifier}`
/** How many payments an account has requested since a moment that wait for their payer. */
export const countWaiting = (accountId: string, since: Date, atMost: number) => sql<{ count: number }>`
  select count(*)::int as count from (select from x402_payment
    where account_id = ${accountId} and created_at > ${since} and status = 'PENDING' limit ${atMost}) as waiting`
export const nextDepositIndex = () =>
  sql<{ index: number }>`select nextval('x402_deposit_index')::int as index`

export interface AuthorizationRow {
  id: string
  paymentId: string
  network: string
  asset: string
  payer: Hex
  nonce: Hex
  signature: string
  validBefore: bigint
  version: 1 | 2
  payload: object
  requirements: object
  txHash: Hex | null
  gas: bigint | null
  attempts: number
  retryAt: Date | null
  createdAt: Date
}

/** No row if the authorization was claimed before: a second caller waits here for the transaction of the first. */
export const insertAuthorization = (
  row: Omit<AuthorizationRow, 'txHash' | 'gas' | 'attempts' | 'retryAt'> & { retryAt: Date },
) => sql<AuthorizationRow>`
  insert into x402_authorization (id, payment_id, network, asset, payer, nonce, signature, valid_before, version, payload,
    requirements, retry_at, created_at)
  values (${row.id}, ${row.paymentId}, ${row.network}, ${row.asset}, ${row.payer}, ${row.nonce}, ${row.signature},
    ${row.validBefore}, ${row.version}, ${json(row.payload)}::jsonb, ${json(row.requirements)}::jsonb, ${row.retryAt},
    ${row.createdAt})
  on conflict (network, asset, payer, nonce) do nothing returning *`

export const authorizationOf = (key: { network: string; asset: string; payer: string; nonce: string }) =>
  sql<AuthorizationRow>`
  select * from x402_authorization
  where network = ${key.network} and asset = ${key.asset} and payer = ${key.payer} and nonce = ${key.nonce}`

export const authorizationOfPayment = (paymentId: string) =>
  sql<AuthorizationRow>`select * from x402_authorization where payment_id = ${paymentId}`

/** Takes an authorization for one attempt to settle it: no row if another process has it. */
export const startAttempt = (id: string, real: Date, until: Date) => sql<AuthorizationRow>`
  update x402_authorization set attempts = attempts + 1, retry_at = ${until}, is_running = true
  where id = ${id} and retry_at <= ${real} returning *`
export const setTransaction = (id: string, txHash: string) =>
  sql`update x402_authorization set tx_hash = ${txHash} where id = ${id}`
export const retryAt = (id: string, at: Date | null) =>
  sql`update x402_authorization set retry_at = ${at} where id = ${id}`
export const setGas = (id: string, gas: bigint) =>
  sql`update x402_authorization set gas = ${gas} where id = ${id} and gas is null`

/** After an attempt: when to make the next one, unless the chain has confirmed or ended the payment. */
export const postponeAttempt = (id: string, at: Date) =>
  sql`update x402_authorization set retry_at = ${at}, is_running = false where id = ${id} and retry_at is not null`

export const postponed = (id: string) =>
  sql<{
    id: string
  }>`select id from x402_authorization where id = ${id} and retry_at is not null and not is_running and attempts > 0`

/** Authorizations that wait for another attempt. */
export const dueAuthorizations = (real: Date) => sql<{ id: string }>`
  select id from x402_authorization where retry_at <= ${real} order by retry_at limit 50`

/** The authorizations with these payers and nonces. */
export const authorizationsAmong = (network: string, payers: readonly string[], nonces: readonly string[]) =>
  sql<AuthorizationRow>`
  select a.* from x402_authorization a, unnest(${payers}::text[], ${nonces}::text[]) as used (payer, nonce)
  where a.network = ${network} and a.payer = used.payer and a.nonce = used.nonce`

/** The chain has confirmed an authorization, maybe by a transaction of somebody else. */
export const settledBy = (id: string, txHash: string) => sql`
  update x402_authorization set retry_at = null, is_running = false, tx_hash = ${txHash} where id = ${id}`

/** What was signed is sent no more: the payment has ended. A repeated request is known by the signature. */
export const erasePayload = (paymentId: string) =>
  sql`update x402_authorization set payload = '{}' where payment_id = ${paymentId}`

export const transferOf = (transferId: string | null) => sql<{ payer: Hex; txHash: Hex }>`
  select payer, tx_hash from x402_transfer where id = ${transferId}`

/** The newest transfer in suspense that came for a payment with another amount. */
export const otherAmountFor = (paymentId: string, since: Date) => sql<{ amount: bigint }>`
  select amount::bigint from x402_transfer
  where payment_id = ${paymentId} and reason in ('UNDERPAID', 'OVERPAID') and status <> 'DROPPED' and settled_at is null
    and created_at >= ${since}
  order by created_at desc limit 1`
