import type { DayFigure } from '#overview'
import type { Page } from '#platform/http/schema'
import { joined, part, planAnew, sql, type SqlPart } from '#platform/kernel/sql'
import type { EscrowStatus } from '../deal/escrow-machine.ts'
import type { EscrowRow, Side } from '../deal/rows.ts'

export interface EscrowFilter {
  id?: string
  status?: EscrowStatus
  /** A party to the deal. */
  accountId?: string
}

type PartyColumns<Name extends Side> = Record<`${Name}AccountId` | `${Name}AccountName`, string> &
  Record<`${Name}AgentId` | `${Name}AgentName` | `${Name}AgentSlug`, string | null>

export type ListedEscrow = EscrowRow &
  PartyColumns<'buyer'> &
  PartyColumns<'seller'> & { requestedService: string; disputeReason: string | null; answerBy: Date | null }

const where = ({ id, status, accountId }: EscrowFilter): SqlPart =>
  joined(
    [
      id && part`e.id = ${id}::uuid`,
      status && part`e.status = ${status}`,
      accountId &&
        part`(n.buyer_account_id = ${accountId}::uuid or n.seller_account_id = ${accountId}::uuid)`,
    ].filter(each => typeof each === 'object'),
    ' and ',
  )

const funded = part`ap2_escrow e join ap2_negotiation n on n.id = e.negotiation_id`

/** With the names of both parties, newest first. */
export const escrowsWith = (filter: EscrowFilter, { limit, offset }: Page) =>
  planAnew(sql<ListedEscrow>`
  select e.*, n.requested_service,
    n.buyer_account_id, b.display_name as buyer_account_name, n.buyer_agent_id, ba.name as buyer_agent_name, ba.slug as buyer_agent_slug,
    n.seller_account_id, s.display_name as seller_account_name, n.seller_agent_id, sa.name as seller_agent_name, sa.slug as seller_agent_slug,
    (select d.reason from ap2_dispute d where d.escrow_id = e.id and d.ended_at is null limit 1) as dispute_reason
  from ${funded} join identity_account b on b.id = n.buyer_account_id join identity_account s on s.id = n.seller_account_id
    left join agents_agent ba on ba.id = n.buyer_agent_id left join agents_agent sa on sa.id = n.seller_agent_id
  where ${where(filter)} order by e.id desc limit ${limit} offset ${offset}`)

export const countEscrowsWith = (filter: EscrowFilter, atMost: number) =>
  planAnew(sql<{ counted: number }>`
  select count(*)::int as counted from (select from ${funded} where ${where(filter)} limit ${atMost}) capped`)

export const countEscrowsIn = (status: 'DISPUTED' | 'FROZEN') => sql<{ count: number }>`
  select count(*)::int as count from ap2_escrow where status = ${status} and status in ('DISPUTED', 'FROZEN')`

const day = (column: SqlPart) => part`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`

/** Without test credit, and without what was never funded. */
export const dealsByDay = (from: Date) => sql<DayFigure>`
  with started as (
    select ${day(part`created_at`)} as day, count(*)::bigint as deals, sum(amount)::bigint as volume from ap2_escrow
    where created_at >= ${from} and not test and status not in ('PENDING_FUNDING', 'CANCELLED') group by 1
  ), ended as (
    select ${day(part`ended_at`)} as day, sum(fees)::bigint as fees from ap2_escrow
    where ended_at >= ${from} and fees > 0 and not test group by 1
  )
  select day, 'deals' as figure, deals as value from started
  union all select day, 'volume', volume from started
  union all select day, 'fees', fees from ended`
