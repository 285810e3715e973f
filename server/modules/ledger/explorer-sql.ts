import type { Page } from '#platform/http/schema'
import type { Asset } from '#platform/kernel/money'
import { joined, part, planAnew, sql, type SqlPart } from '#platform/kernel/sql'
import type { JournalRow } from './sql.ts'

export interface BalanceRow {
  account: string
  asset: Asset
  /** Exact: a sum may exceed bigint. */
  balance: string
  freezes: string[]
}

export interface AccountFilter {
  code?: string
  /** The whole name, such as `2010:<id of a wallet>`. */
  account?: string
  currency?: Asset
}

/** Accounts of a code are `<code>` or `<code>:<owner>`; `;` follows `:` in the order of the index. */
const within = ({ code, account, currency }: AccountFilter): SqlPart =>
  joined(
    [
      code && part`(account = ${code} or account > ${`${code}:`} and account < ${`${code};`})`,
      account && part`account = ${account}`,
      currency && part`asset = ${currency}`,
    ].filter(each => typeof each === 'object'),
    ' and ',
  )

// Guarded accounts have a row. Of the others there are few: those in sealed blocks, and the tail that is not sealed yet.
const balances = (filter: AccountFilter): SqlPart => part`
  select account, asset, balance::text as balance, freezes from ledger_balance where ${within(filter)}
  union all
  select account, asset, sum(balance)::text, '{}' from (
    select account, asset, balance from ledger_rollup where ${within(filter)}
    union all
    select account, asset, amount from ledger_unsealed u join ledger_entry e on e.journal_id = u.item_id
    where e.balance_after is null and ${within(filter)}
  ) unguarded group by account, asset`

export const accountsWith = (filter: AccountFilter, { limit, offset }: Page) =>
  planAnew(sql<BalanceRow>`select account, asset, balance, freezes from (${balances(filter)}) found
    order by account collate "C", asset limit ${limit} offset ${offset}`)

export const countAccountsWith = (filter: AccountFilter, atMost: number) =>
  planAnew(sql<{ counted: number }>`select count(*)::int as counted
    from (select from (${balances(filter)}) found limit ${atMost}) capped`)

export interface FullJournalRow extends JournalRow {
  recordedAt: Date
  isSealed: boolean
}

export const journalById = (id: string) => sql<FullJournalRow>`
  select j.id, j.kind, j.key, coalesce(m.memo, j.memo) as memo, j.reference, j.legs, j.at, j.hash, j.recorded_at,
    not exists (select from ledger_unsealed u where u.item_id = j.id) as is_sealed
  from ledger_journal j left join ledger_memo m on m.journal_id = j.id where j.id = ${id}`
