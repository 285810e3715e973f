import type { Page } from '#platform/http/schema'
import type { Asset } from '#platform/kernel/money'
import { part, planAnew, sql, type SqlPart } from '#platform/kernel/sql'
import type { CommissionStatus } from './commission-machine.ts'
import { MOST_BPS, TIERS, type Counted } from './plan.ts'

export type Source = 'deal' | 'buyer' | 'seller'

export interface Commission extends Counted {
  id: string
  profileId: string
  escrowId: string
  negotiationId: string
  level: number
  /** Number of the release that it is from; 0 while none is. */
  release: number
  source: Source
  holdDays: number
  currency: Asset
  clawedBack: bigint
  status: CommissionStatus
  fraudReason: string | null
  dueAt: Date | null
  paidAt: Date | null
  createdAt: Date
}

const COMMISSION = part`c.id, c.profile_id, c.escrow_id, c.negotiation_id, c.level, c.release, c.source, c.rate_bps, c.hold_days,
  c.currency, c.amount, c.clawed_back, c.counted_fees, c.counted_commission, c.status, c.fraud_reason, c.due_at, c.paid_at, c.created_at`

interface Held {
  ids: readonly [first: string, second: string]
  escrowId: string
  negotiationId: string
  buyerAccountId: string
  sellerAccountId: string
  asset: Asset
  /** What a release of everything costs the seller. */
  fee: bigint
  now: Date
}

/** The rates of level 2, for profiles without one of their own. */
const TIER_RATES = part`unnest(${TIERS.map(({ tier }) => tier)}::text[], ${TIERS.map(({ level2Bps }) => level2Bps)}::int[])
  t (tier, level2_bps)`

/**
 * Who earns from a deal: the agent that the deal names as its referrer, else the affiliate who brought the buyer, else the one
 * who brought the seller; and at level 2 the affiliate who brought that one. A referral that has ended counts for nothing.
 */
export const insertExpected = (held: Held) => sql`
  with candidate as (
    select p.id as profile_id, 'deal' as source, case p.account_id when a.creator_id then 1 else 2 end as rank
    from ap2_negotiation n join agents_agent a on a.id = n.referrer_agent_id
      join affiliates_profile p on p.account_id in (a.creator_id, a.owner_id)
    where n.id = ${held.negotiationId}
    union all
    select r.profile_id, case r.account_id when ${held.buyerAccountId}::uuid then 'buyer' else 'seller' end,
      case r.account_id when ${held.buyerAccountId}::uuid then 3 else 4 end
    from affiliates_referral r
    where r.account_id in (${held.buyerAccountId}, ${held.sellerAccountId}) and r.expires_at > ${held.now}
  ), first as (
    select p.id, p.account_id, p.rate_bps, p.hold_days, k.source
    from candidate k join affiliates_profile p on p.id = k.profile_id and p.status = 'ACTIVE' and p.rate_bps > 0
    order by k.rank limit 1
  ), earning as (
    select ${held.ids[0]}::uuid as id, f.id as profile_id, 1 as level, f.rate_bps, f.hold_days, f.source from first f
    union all
    select ${held.ids[1]}::uuid, p.id, 2, second.rate_bps, p.hold_days, f.source
    from first f
      join affiliates_referral r on r.account_id = f.account_id and r.expires_at > ${held.now}
      join affiliates_profile p on p.id = r.profile_id and p.status = 'ACTIVE'
      join ${TIER_RATES} on t.tier = p.tier
      cross join lateral (select least(coalesce(p.level2_bps, t.level2_bps), ${MOST_BPS} - f.rate_bps) as rate_bps) second
    where second.rate_bps > 0
  )
  insert into affiliates_commission (id, profile_id, escrow_id, negotiation_id, level, source, rate_bps, hold_days, currency, amount,
    status, created_at, updated_at)
  select id, profile_id, ${held.escrowId}, ${held.negotiationId}, level, source, rate_bps, hold_days, ${held.asset},
    ${held.fee}::bigint * rate_bps / 10000, 'EXPECTED', ${held.now}, ${held.now}
  from earning
  on conflict do nothing`

/** What a release may turn into earnings, locked; with whose account earns, and whether it still may. */
export const lockExpected = (escrowId: string) => sql<
  Commission & { accountId: string; profileStatus: string }
>`
  select ${COMMISSION}, p.account_id, p.status as profile_status
  from affiliates_commission c join affiliates_profile p on p.id = c.profile_id
  where c.escrow_id = ${escrowId} and c.status = 'EXPECTED' order by c.level for update of c`

export const lockOfEscrow = (escrowId: string) => sql<Commission & { accountId: string }>`
  select ${COMMISSION}, p.account_id from affiliates_commission c join affiliates_profile p on p.id = c.profile_id
  where c.escrow_id = ${escrowId} and c.status in ('PENDING', 'AVAILABLE', 'PAID', 'FRAUD_HOLD') order by c.level, c.release for update of c`

export const lockCommission = (id: string) =>
  sql<Commission>`select ${COMMISSION} from affiliates_commission c where id = ${id} for update`
export const commissionById = (id: string) =>
  sql<Commission>`select ${COMMISSION} from affiliates_commission c where id = ${id}`

export const setCounted = (id: string, counted: Counted, now: Date) => sql`
  update affiliates_commission set amount = ${counted.amount}, counted_fees = ${counted.countedFees},
    counted_commission = ${counted.countedCommission}, updated_at = ${now} where id = ${id}`

/** A part that is earned while the rest is still expected. */
export const insertEarned = (commission: Commission) => sql`
  insert into affiliates_commission (id, profile_id, escrow_id, negotiation_id, level, release, source, rate_bps, hold_days,
    currency, amount, status, fraud_reason, due_at, created_at, updated_at)
  values (${commission.id}, ${commission.profileId}, ${commission.escrowId}, ${commission.negotiationId}, ${commission.level},
    ${commission.release}, ${commission.source}, ${commission.rateBps}, ${commission.holdDays}, ${commission.currency},
    ${commission.amount}, ${commission.status}, ${commission.fraudReason}, ${commission.dueAt}, ${commission.createdAt},
    ${commission.createdAt})`

/** Nothing more is released: what is still expected is not earned. */
export const cancelExpected = (escrowId: string, now: Date) => sql`
  with cancelled as (
    update affiliates_commission set status = 'CANCELLED', updated_at = ${now}
    where escrow_id = ${escrowId} and status = 'EXPECTED' returning id)
  insert into affiliates_commission_history (id, subject_id, event, from_status, to_status, actor, actor_id, details, at)
  select gen_random_uuid(), id, 'cancel', 'EXPECTED', 'CANCELLED', 'deal', null, '{}', ${now} from cancelled`

/**
 * Why the affiliate may have referred itself: it is a party of the deal, controls the agent of one or is controlled by one, its
 * own wallet has the address of one, it is paid out to the bank account or address of one, it paid with the card of one, or it
 * runs the organization that paid. Null if nothing says so.
 */
export const fraudReason = (
  affiliateAccountId: string,
  { parties, escrowId }: { parties: readonly string[]; escrowId: string },
) => sql<{ reason: string }>`
  select reason from (
    select 1 as rank, 'same owner' as reason where ${affiliateAccountId}::uuid = any(${parties}::uuid[])
    union all
    select 2, 'claimed agent' from agents_agent a
    where (a.creator_id = ${affiliateAccountId} and a.owner_id = any(${parties}::uuid[]))
      or (a.owner_id = ${affiliateAccountId} and a.creator_id = any(${parties}::uuid[]))
    union all
    select 3, 'same wallet address' from wallets_wallet a join wallets_wallet b on lower(b.crypto_address) = lower(a.crypto_address)
    where a.account_id = ${affiliateAccountId} and b.account_id = any(${parties}::uuid[])
      and a.wallet_type = 'PROVIDED' and b.wallet_type = 'PROVIDED'
    union all
    select 4, 'same payout account' from payouts_account a join payouts_account b
      on a.bank_fingerprints && b.bank_fingerprints or lower(a.address) = lower(b.address)
    where a.account_id = ${affiliateAccountId} and b.account_id = any(${parties}::uuid[])
    union all
    select 5, 'same card' from payments_card a join payments_card b on b.fingerprint = a.fingerprint
    where a.account_id = ${affiliateAccountId} and b.account_id = any(${parties}::uuid[])
    union all
    select 6, 'same organization' from ap2_escrow e
      join wallets_wallet w on w.id = e.buyer_wallet_id and w.owner_type = 'ORGANIZATION'
      join identity_member m on m.organization_id = w.owner_id and m.role in ('OWNER', 'ADMIN')
    where e.id = ${escrowId} and m.account_id = ${affiliateAccountId}) found
  order by rank limit 1`

export const setClawedBack = (id: string, amount: bigint, now: Date) => sql`
  update affiliates_commission set clawed_back = clawed_back + ${amount}, updated_at = ${now} where id = ${id}`

// By the few chargebacks that are open, which have an index. Of a payment for an escrow the reference is its id.
const isDisputed = (escrowId: SqlPart) => part`exists (select from payments_chargeback b
  join payments_intent i on i.id = b.payment_id where b.ask_at is not null and i.reference = ${escrowId}::text)`

/** Whether a bank has yet to decide about the payment of an escrow. */
export const disputedNow = (escrowId: string) =>
  sql<{ disputed: boolean }>`select ${isDisputed(part`${escrowId}`)} as disputed`

export const postpone = (id: string, dueAt: Date) =>
  sql`update affiliates_commission set due_at = ${dueAt} where id = ${id}`

/** What can be paid to an affiliate, locked. A payment that a bank disputes may be lost, and its commission with it. */
export const lockAvailable = (profileId: string) => sql<Commission>`
  select ${COMMISSION} from affiliates_commission c
  where c.profile_id = ${profileId} and c.status = 'AVAILABLE' and not ${isDisputed(part`c.escrow_id`)}
  order by c.id for update of c`

/** What was earned and is not paid, locked. */
export const lockUnpaid = (profileId: string) => sql<Commission>`
  select ${COMMISSION} from affiliates_commission c
  where c.profile_id = ${profileId} and c.status in ('PENDING', 'AVAILABLE', 'FRAUD_HOLD') order by c.id for update`

export const sumsOf = (profileId: string) => sql<{
  currency: Asset
  status: CommissionStatus
  amount: bigint
}>`
  select currency, status, sum(amount - clawed_back)::bigint as amount from affiliates_commission
  where profile_id = ${profileId} group by currency, status`

export interface Filter {
  /** Null for all affiliates. */
  profileId: string | null
  status: CommissionStatus | null
}

const matching = ({ profileId, status }: Filter): SqlPart => part`
  ${profileId === null ? part`true` : part`c.profile_id = ${profileId}`} and ${status === null ? part`true` : part`c.status = ${status}`}`

export const commissionsWith = (filter: Filter, { limit, offset }: Page) =>
  planAnew(sql<Commission>`
  select ${COMMISSION} from affiliates_commission c where ${matching(filter)}
  order by c.created_at desc, c.id desc limit ${limit} offset ${offset}`)
export const countCommissionsWith = (filter: Filter, cap: number) =>
  planAnew(sql<{ counted: number }>`
  select count(*)::int as counted from (
    select from affiliates_commission c where ${matching(filter)} limit ${cap}) capped`)

/**
 * People whom an affiliate brought and who bought or sold for `least` micro-units or more since then: what the tier counts.
 * As for commissions, only verified deals of real money between two owners count, and none that is suspected or lost.
 */
export const activeReferrals = (profileId: string, { since, least }: { since: Date; least: bigint }) => sql<{
  counted: number
}>`
  select count(*)::int as counted from affiliates_referral r
  where r.profile_id = ${profileId} and ${least}::bigint <= (
    select coalesce(sum(e.released), 0) from ap2_negotiation n join ap2_escrow e on e.negotiation_id = n.id
    where r.account_id in (n.buyer_account_id, n.seller_account_id) and e.created_at > ${since}
      and not e.test and not n.self_deal and not e.unverified
      and not exists (select from affiliates_commission c where c.escrow_id = e.id and c.profile_id = r.profile_id
        and c.status in ('FRAUD_HOLD', 'CLAWED_BACK')))`

/** Why a deal has the affiliate that it has. */
export const attributionOf = (negotiationId: string, accountId: string) => sql<{
  code: string
  displayName: string
  source: Source
  level: number
  status: CommissionStatus
  rateBps: number
  boundAt: Date | null
  clickId: string | null
}>`
  select p.code, p.display_name, c.source, c.level, c.status, c.rate_bps, r.bound_at, r.click_id
  from affiliates_commission c
    join affiliates_profile p on p.id = c.profile_id
    join ap2_negotiation n on n.id = c.negotiation_id
    left join affiliates_referral r on c.source <> 'deal' and r.profile_id = c.profile_id
      and r.account_id = case c.source when 'buyer' then n.buyer_account_id else n.seller_account_id end
  where c.escrow_id in (select id from ap2_escrow where negotiation_id = ${negotiationId}) and ${accountId} in (n.buyer_account_id, n.seller_account_id, p.account_id)
  order by c.level, c.release`

export const countFraudHolds = () => sql<{ count: number }>`
  select count(*)::int as count from affiliates_commission where status = 'FRAUD_HOLD'`
