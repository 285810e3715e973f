import type { Page } from '#platform/http/schema'
import type { Asset } from '#platform/kernel/money'
import { part, planAnew, sql } from '#platform/kernel/sql'
import type { Owner, OwnerType } from '../owner.ts'
import type { PayoutStatus } from './payout-machine.ts'

export type Rail = 'processor' | 'chain'

export interface Payout {
  id: string
  status: PayoutStatus
  ownerType: OwnerType
  ownerId: string
  accountId: string
  walletId: string
  rail: Rail
  amount: bigint
  currency: Asset
  destination: string
  approvalId: string | null
  transferId: string | null
  bankPayoutId: string | null
  failureCode: string | null
  failureMessage: string | null
  dueAt: Date | null
  asks: number
  sentAt: Date | null
  completedAt: Date | null
  createdAt: Date
}

const COLUMNS = part`id, status, owner_type, owner_id, account_id, wallet_id, rail, amount, currency, destination, approval_id,
  transfer_id, bank_payout_id, failure_code, failure_message, due_at, asks, sent_at, completed_at, created_at`

/** The states in which the money has left the wallet and has not arrived. */
const IN_PROGRESS = part`status in ('REVIEW', 'REQUESTED', 'PENDING', 'IN_TRANSIT')`

export type NewPayout = Pick<
  Payout,
  | 'id'
  | 'status'
  | 'ownerType'
  | 'ownerId'
  | 'accountId'
  | 'walletId'
  | 'rail'
  | 'amount'
  | 'currency'
  | 'destination'
  | 'approvalId'
  | 'dueAt'
  | 'createdAt'
>

export const insertPayout = (payout: NewPayout) => sql<Payout>`
  insert into payouts_payout (id, status, owner_type, owner_id, account_id, wallet_id, rail, amount, currency, destination,
    approval_id, due_at, created_at, updated_at)
  values (${payout.id}, ${payout.status}, ${payout.ownerType}, ${payout.ownerId}, ${payout.accountId}, ${payout.walletId},
    ${payout.rail}, ${payout.amount}, ${payout.currency}, ${payout.destination}, ${payout.approvalId}, ${payout.dueAt},
    ${payout.createdAt}, ${payout.createdAt})
  returning ${COLUMNS}`

export const payoutById = (id: string) => sql<Payout>`select ${COLUMNS} from payouts_payout where id = ${id}`

export const payoutOfTransfer = (transferId: string) => sql<Payout>`
  select ${COLUMNS} from payouts_payout where rail = 'processor' and transfer_id = ${transferId} limit 1`

export const lockPayout = (id: string) =>
  sql<Payout>`select ${COLUMNS} from payouts_payout where id = ${id} for update`

/** Requests of one account run one after the other, so that together they stay within its limit. */
export const lockRequestsOf = (accountId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`payouts ${accountId}`}, 0))`

/** What an account has requested since a moment, in micro-units; what was canceled or failed does not count. */
export const requestedSince = (accountId: string, since: Date) => sql<{ amount: bigint }>`
  select coalesce(sum(amount), 0)::bigint as amount from payouts_payout
  where account_id = ${accountId} and created_at > ${since} and status not in ('FAILED', 'CANCELED')`

/** Payouts of an owner while the present account controlled it, newest first. */
export const payoutsOf = ({ type, id, accountId }: Owner, { limit, offset }: Page) => sql<Payout>`
  select ${COLUMNS} from payouts_payout where owner_type = ${type} and owner_id = ${id} and account_id = ${accountId}
  order by created_at desc, id desc limit ${limit} offset ${offset}`

export const countPayoutsOf = ({ type, id, accountId }: Owner, cap: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from payouts_payout
    where owner_type = ${type} and owner_id = ${id} and account_id = ${accountId} limit ${cap}) capped`

const inStatus = (status: PayoutStatus | undefined) =>
  status === undefined ? part`true` : part`status = ${status}`

/** Payouts of all owners, newest first. */
export const payoutsIn = (status: PayoutStatus | undefined, { limit, offset }: Page) =>
  planAnew(sql<Payout>`select ${COLUMNS} from payouts_payout where ${inStatus(status)}
    order by created_at desc, id desc limit ${limit} offset ${offset}`)

export const countPayoutsIn = (status: PayoutStatus | undefined, atMost: number) =>
  planAnew(sql<{ counted: number }>`select count(*)::int as counted
    from (select from payouts_payout where ${inStatus(status)} limit ${atMost}) capped`)

export const countInReview = () => sql<{ count: number }>`
  select count(*)::int as count from payouts_payout where status = 'REVIEW'`

export const reservedByWallet = (walletIds: readonly string[], asset: Asset) => sql<{
  walletId: string
  reserved: bigint
}>`
  select wallet_id, sum(amount)::bigint as reserved from payouts_payout
  where wallet_id = any(${walletIds}::uuid[]) and currency = ${asset} and ${IN_PROGRESS} group by wallet_id`

export const postpone = (id: string, dueAt: Date | null) =>
  sql`update payouts_payout set due_at = ${dueAt}, asks = asks + 1 where id = ${id}`

export const setRailIds = (id: string, transferId: string, bankPayoutId: string | null) => sql`
  update payouts_payout set transfer_id = coalesce(transfer_id, ${transferId}),
    bank_payout_id = coalesce(bank_payout_id, ${bankPayoutId}) where id = ${id}`

export type Unsent = Pick<Payout, 'id' | 'approvalId'>

/** Payouts of accounts and organizations that can still be canceled, with those of agents that they control. */
export const unsentOf = (accountIds: readonly string[]) => sql<Unsent>`
  select id, approval_id from payouts_payout
  where account_id = any(${accountIds}::uuid[]) and status in ('REVIEW', 'REQUESTED') order by id`

export const unsentOfAgent = (agentId: string) => sql<Unsent>`
  select id, approval_id from payouts_payout
  where owner_type = 'AGENT' and owner_id = ${agentId} and status in ('REVIEW', 'REQUESTED') order by id`

export const unsentFromWallet = (walletId: string) => sql<Unsent>`
  select id, approval_id from payouts_payout
  where wallet_id = ${walletId} and status in ('REVIEW', 'REQUESTED') order by id`

/** Texts of the processor, which may name the bank or its customer, and destinations to which nothing was paid. */
export const eraseTexts = (accountIds: readonly string[]) => sql<{ id: string }>`
  update payouts_payout set failure_message = null,
    destination = case when status in ('CANCELED', 'FAILED') then '[removed]' else destination end
  where account_id = any(${accountIds}::uuid[]) returning id`

export const figures = (now: Date) => sql<{ review: number; unanswered: number; inTransit: bigint }>`
  select count(*) filter (where status = 'REVIEW')::int as review,
    count(*) filter (where status = 'PENDING' and transfer_id is null and sent_at < ${now}::timestamptz - interval '15 minutes')::int as unanswered,
    coalesce(sum(amount), 0)::bigint as in_transit
  from payouts_payout where ${IN_PROGRESS}`
