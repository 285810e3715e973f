import type { LedgerCheck, Scope } from '#platform/kernel/ledger-check'
import { part, type SqlPart } from '#platform/kernel/sql'

/** The escrows that a run looks at: those that its journals touch, once all that hold money, and in a full run those without any entry. */
function inScope({ journals, last, full }: Scope): SqlPart {
  const touched = part`e.id in (select substr(x.account, 6)::uuid from ledger_entry x where x.journal_id in (${journals}) and x.account like '2020:%')`
  const live = part`e.status in ('HELD', 'DISPUTED', 'FROZEN')`
  const bare = part`not exists (select from ledger_entry x where x.account = '2020:' || e.id)`
  return part`(${touched} ${last ? part`or ${live}` : part``} ${last && full ? part`or ${bare}` : part``})`
}

const account = part`'2020:' || e.id`
/** What the record says that an escrow holds: nothing before its funds are confirmed, and after they failed. */
const holds = part`case when e.status in ('PENDING_FUNDING', 'CANCELLED') then 0 else e.amount - e.released - e.refunded end`
const subAccount = (wallet: SqlPart) => part`case when e.test then '2011:' else '2010:' end || ${wallet}`
const hasLeg = (
  credit: SqlPart,
  debit: SqlPart,
) => part`exists (select from jsonb_array_elements(j.legs) as leg
  where leg = jsonb_build_array(${debit}, ${credit}, e.currency, e.amount::text))`

/**
 * What left the escrow, by where it went: to the buyer means the wallet, the card that
 * paid (1010), or what a lost chargeback took (1040).
 */
const paidOut = part`lateral (
  select coalesce(sum(leg.amount) filter (where leg.credit = ${subAccount(part`e.seller_wallet_id`)}), 0) as to_seller,
    coalesce(sum(leg.amount) filter (where leg.credit in (${subAccount(part`e.buyer_wallet_id`)}, '1010', '1040')), 0) as to_buyer,
    coalesce(sum(leg.amount) filter (where leg.credit = case when e.test then '1090' else '4010' end), 0) as fees
  from ledger_entry x join ledger_journal j on j.id = x.journal_id,
    lateral (select leg->>1 as credit, (leg->>3)::numeric as amount from jsonb_array_elements(j.legs) as leg where leg->>0 = ${account}) as leg
  where x.account = ${account} and x.amount < 0) out`

/** What the books must say of escrows. */
export const escrowChecks: readonly LedgerCheck[] = [
  {
    name: 'a terminal escrow holds 0, a live one what was neither released nor refunded',
    statement:
      scope => part`select 'escrow ' || e.id || ' (' || e.status || ') holds ' || coalesce(b.balance, 0)
        || ', its record says ' || ${holds} as finding
      from ap2_escrow e left join ledger_balance b on b.account = ${account} and b.asset = e.currency
      where ${inScope(scope)} and coalesce(b.balance, 0) <> ${holds}`,
  },
  {
    name: 'the milestones of an escrow sum to it',
    statement:
      scope => part`select 'escrow ' || e.id || ': milestones sum to ' || sum(m.amount) || ', released ' || sum(m.released) as finding
      from ap2_escrow e join ap2_milestone m on m.escrow_id = e.id where ${inScope(scope)}
      group by e.id having sum(m.amount) <> e.amount or sum(m.released) <> e.released`,
  },
  {
    name: 'an escrow is frozen in the books exactly when its record says so',
    statement:
      scope => part`select 'escrow ' || e.id || ' (' || e.status || ') has the freezes ' || b.freezes::text as finding
      from ap2_escrow e join ledger_balance b on b.account = ${account} and b.asset = e.currency
      where ${inScope(scope)} and (cardinality(b.freezes) > 0) <> (e.status = 'FROZEN')`,
  },
  {
    // Module payments looks after the freezes of wallets and subscriptions.
    name: 'only escrows, wallets, subscriptions and routing balances are frozen',
    statement: ({
      last,
    }) => part`select 'account ' || account || ' has the freezes ' || freezes::text as finding
      from ledger_balance where ${last} and cardinality(freezes) > 0 and account !~ '^(?:20[124]0|2130):'`,
  },
  {
    // The hold journal is sealed, and from some version on its reference holds the seller's wallet and the fee rate. A wallet
    // pays by the journal of the deal, any other rail by that of the payment.
    name: 'an escrow is what its hold journal says',
    statement:
      scope => part`select 'escrow ' || e.id || case when j.id is null then ' has no hold journal' else ' is not what journal ' || j.id || ' says' end as finding
      from ap2_escrow e left join ledger_entry x on x.account = ${account} and x.asset = e.currency and x.amount > 0
        left join ledger_journal j on j.id = x.journal_id and (e.rail <> 'wallet' or j.key = e.negotiation_id::text and j.kind = 'ap2.hold')
      where ${inScope(scope)} and e.status not in ('PENDING_FUNDING', 'CANCELLED') and (j.id is null or not ${hasLeg(account, subAccount(part`e.buyer_wallet_id`))}
        or j.reference ? 'sellerWalletId' and (j.reference->>'sellerWalletId', j.reference->>'feeBps') is distinct from (e.seller_wallet_id::text, e.fee_bps::text)
        or j.reference->>'termsSha256' is distinct from e.terms_sha256)`,
  },
  {
    name: 'what left an escrow is what its record says, to its own seller and buyer',
    statement:
      scope => part`select 'escrow ' || e.id || ': ' || out.to_seller || ' to the seller, ' || out.fees || ' fees, ' || out.to_buyer || ' to the buyer; its record says '
        || (e.released - e.fees) || ', ' || e.fees || ', ' || e.refunded as finding
      from ap2_escrow e, ${paidOut}
      where ${inScope(scope)} and (out.to_seller, out.fees, out.to_buyer) <> (e.released - e.fees, e.fees, e.refunded)`,
  },
  {
    name: 'the fees of an escrow are its rate of what was released',
    statement:
      scope => part`select 'escrow ' || e.id || ': fees ' || e.fees || ' of ' || e.released || ' at ' || e.fee_bps || ' basis points' as finding
      from ap2_escrow e where ${inScope(scope)} and e.fees <> div(e.released::numeric * e.fee_bps, 10000)`,
  },
]
