import type { Asset } from '#platform/kernel/money'
import { part, sql, type SqlPart } from '#platform/kernel/sql'
import type { JournalContent, Memo, StoredLeg } from './posting.ts'

export interface JournalRow {
  id: string
  kind: string
  key: string
  memo: string | null
  reference: Record<string, string>
  legs: StoredLeg[]
  at: Date
  hash: string
}

export interface VerifyRow extends JournalContent {
  hash: string
  entries: [account: string, asset: string, amount: string][]
  /** Null where there was none, or where it was erased with its author. */
  stored: Pick<Memo, 'memo' | 'salt'> | null
}

export interface EntryRow {
  account: string
  asset: Asset
  amount: bigint
  balanceAfter: bigint | null
  journalId: string
  kind: string
  at: Date
  memo: string | null
  reference: Record<string, string>
  legs: StoredLeg[]
  hash: string
}

const memoOf = part`coalesce((select memo from ledger_memo where journal_id = j.id), j.memo) as memo`

/** Every memo that an account wrote. */
export const deleteMemosBy = (author: string) => sql`delete from ledger_memo where author_id = ${author}`

export const journalByKey = (key: string) => sql<JournalRow>`
  select id, kind, key, ${memoOf}, reference, legs, at, hash from ledger_journal j where key = ${key}`

export const insertBalances = (accounts: readonly string[], assets: readonly Asset[]) => sql`
  insert into ledger_balance (account, asset)
  select account, asset from unnest(${accounts}::text[], ${assets}::text[]) as a (account, asset)
  order by account collate "C", asset collate "C" on conflict do nothing`

export const lockedBalances = (accounts: readonly string[], asset: Asset) => sql<{
  account: string
  balance: bigint
  frozen: boolean
}>`
  select account, balance, freezes <> '{}' as frozen from ledger_balance where account = any(${accounts}::text[]) and asset = ${asset} order by account for update`

/**
 * The same of accounts that a subquery names, in all assets. As an array they are looked up in the index; a join with them
 * reads a short table whole.
 */
export const lockedBalancesAmong = (accounts: SqlPart) => sql<{
  account: string
  balance: bigint
  frozen: boolean
}>`
  select account, balance, freezes <> '{}' as frozen from ledger_balance where account = any(array(${accounts})) order by account, asset for update`

export const guardedBalances = (accounts: readonly string[], asset: Asset) => sql<{
  account: string
  balance: bigint
  isFrozen: boolean
}>`
  select account, balance, cardinality(freezes) > 0 as is_frozen from ledger_balance
  where account = any(${accounts}::text[]) and asset = ${asset}`

/** Rollup and unsealed tail in one snapshot: sealing moves amounts from one to the other in one transaction. */
export const unguardedBalances = (accounts: readonly string[], asset: Asset) => sql<{
  account: string
  balance: string
}>`
  select account, sum(balance)::text as balance from (
    select account, balance from ledger_rollup where account = any(${accounts}::text[]) and asset = ${asset}
    union all
    select e.account, e.amount from ledger_unsealed u join ledger_entry e on e.journal_id = u.item_id
    where e.account = any(${accounts}::text[]) and e.asset = ${asset}
  ) parts group by account`

export const addFreeze = (account: string, asset: Asset, reason: string) => sql<{ freezes: string[] }>`
  update ledger_balance set freezes = array_append(array_remove(freezes, ${reason}), ${reason}::text)
  where account = ${account} and asset = ${asset} returning freezes`

export const removeFreeze = (account: string, asset: Asset, reason: string) => sql<{ freezes: string[] }>`
  update ledger_balance set freezes = array_remove(freezes, ${reason}) where account = ${account} and asset = ${asset} returning freezes`

export const removeFreezes = (accounts: readonly string[], asset: Asset) => sql`
  update ledger_balance set freezes = '{}' where account = any(${accounts}::text[]) and asset = ${asset} and freezes <> '{}'`

export const freezes = (account: string, asset: Asset) => sql<{ freezes: string[] }>`
  select freezes from ledger_balance where account = ${account} and asset = ${asset}`

const entryRows = (entries: SqlPart) => part`
  select e.account, e.asset, e.amount, e.balance_after, e.journal_id, j.kind, j.at, ${memoOf}, j.reference, j.legs, j.hash
  from ${entries} e join ledger_journal j on j.id = e.journal_id`

export const entriesOfJournal = (
  accounts: readonly string[],
  journalId: string,
) => sql<EntryRow>`${entryRows(part`ledger_entry`)}
  where e.journal_id = ${journalId} and e.account = any(${accounts}::text[]) order by e.seq`

/** Where the money of an account went by journals of a kind after one journal, by account. */
export const sentSince = (account: string, kind: string, journalId: string) => sql<{
  account: string
  amount: bigint
}>`
  select leg->>1 as account, sum((leg->>3)::bigint)::bigint as amount
  from ledger_entry e join ledger_journal j on j.id = e.journal_id, jsonb_array_elements(j.legs) as leg
  where e.account = ${account} and e.amount < 0 and e.seq > (select max(seq) from ledger_entry where journal_id = ${journalId})
    and j.kind = ${kind} and leg->>0 = ${account} group by 1 order by 1`

/** Each account gives its newest entries up to the page, by the index: an account can have any number of older ones. */
export const entries = (accounts: readonly string[], limit: number, offset: number) => {
  const newest = part`select e.* from unnest(${accounts}::text[]) a (account),
    lateral (select * from ledger_entry e where e.account = a.account order by e.seq desc limit ${limit + offset}) e`
  const page = part`(${newest} order by e.seq desc limit ${limit} offset ${offset})`
  return sql<EntryRow>`${entryRows(page)} order by e.seq desc`
}

export const countEntries = (accounts: readonly string[], atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from ledger_entry where account = any(${accounts}::text[]) limit ${atMost}) capped`

export const journalsTouching = (account: string) => sql<JournalRow>`
  select j.id, j.kind, j.key, ${memoOf}, j.reference, j.legs, j.at, j.hash
  from (select journal_id, min(seq) as seq from ledger_entry where account = ${account} group by journal_id) e
  join ledger_journal j on j.id = e.journal_id order by e.seq`

/** Journals with their entries, to be recomputed; amounts as text, because JSON numbers are not exact. */
export const journalsForVerify = (ids: readonly string[]) => sql<VerifyRow>`
  select j.id, j.kind, j.key, j.memo, j.memo_hash, j.reference, j.legs, j.at, j.hash, coalesce(e.entries, '[]') as entries,
    case when m.journal_id is not null then jsonb_build_object('memo', m.memo, 'salt', m.salt) end as stored
  from ledger_journal j left join ledger_memo m on m.journal_id = j.id left join (
    select journal_id, json_agg(json_build_array(account, asset, amount::text)) as entries
    from ledger_entry where journal_id = any(${ids}::uuid[]) group by journal_id
  ) e on e.journal_id = j.id
  where j.id = any(${ids}::uuid[])`

export const addToRollups = (ids: readonly string[]) => sql`
  insert into ledger_rollup as r (account, asset, balance)
  select account, asset, sum(amount) from ledger_entry where journal_id = any(${ids}::uuid[]) and balance_after is null
  group by account, asset order by account, asset
  on conflict (account, asset) do update set balance = r.balance + excluded.balance`

/** Every balance by chart code, from the stored balances and not from the entries. */
export const balancesByCode = () => sql<{ code: string; asset: Asset; accounts: number; balance: string }>`
  select split_part(account, ':', 1) as code, asset, count(distinct account)::int as accounts, sum(balance)::text as balance from (
    select account, asset, balance from ledger_balance
    union all select account, asset, balance from ledger_rollup
    union all select e.account, e.asset, e.amount from ledger_unsealed u join ledger_entry e on e.journal_id = u.item_id where e.balance_after is null
  ) parts group by 1, 2 order by 1, 2`

/**
 * What journals did to one unguarded account, by a field of their reference (`owner`: of one value alone), oldest first;
 * only sums above zero.
 */
export const sumsByReference = (
  account: string,
  field: string,
  { owner, limit, offset }: { owner?: string; limit: number; offset: number },
) => sql<ReferencedSum>`
  select j.reference->>${field} as owner, e.asset, sum(e.amount)::bigint as amount, min(j.at) as since
  from ledger_entry e join ledger_journal j on j.id = e.journal_id
  where e.account = ${account} and j.reference ? ${field} and ${owner === undefined ? part`true` : part`j.reference->>${field} = ${owner}`}
  group by 1, 2 having sum(e.amount) > 0 order by since, owner limit ${limit} offset ${offset}`
export interface ReferencedSum {
  owner: string
  asset: Asset
  amount: bigint
  since: Date
}
