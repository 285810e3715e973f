import { json, part, requireWritten, sql, type SqlPart } from '#platform/kernel/sql'
import type { JournalContent, Line, Memo } from './posting.ts'

interface HashedJournal extends JournalContent {
  hash: string
}

/** A journal with the lines of its legs. */
export interface NewJournal {
  journal: HashedJournal
  lines: readonly Line[]
  memo: Memo | null
}

/**
 * The whole posting in one round trip. Nothing is written, and no row comes back, when the key exists or a guarded account does
 * not.
 */
export const insertJournal = (input: NewJournal) =>
  sql<{ id: string }>`${stepsOfOne(input, [])} select id from journal`

/**
 * The same, failing where nothing was written: it can be sent together with the commit. `opens` are guarded accounts without a
 * row, which this journal opens.
 */
export const insertNewJournal = (input: NewJournal, opens: readonly string[]) =>
  sql`${stepsOfOne(input, opens)} select ${requireWritten(part`exists (select from journal)`)}`

/** Several in one statement, which fails unless it writes all of them. They have no memos. */
export const insertNewJournals = (journals: readonly HashedJournal[], lines: readonly Line[]) =>
  sql`${steps({
    rows: part`select j.id, j.kind, j.key, j.memo_hash, j.reference, j.legs, ${journals[0]?.at}::timestamptz, j.hash from unnest(
      (select ${journals.map(({ id }) => id)}::uuid[]), (select ${journals.map(({ kind }) => kind)}::text[]), (select ${journals.map(({ key }) => key)}::text[]),
      (select ${journals.map(({ memoHash }) => memoHash)}::text[]), (select ${journals.map(({ reference }) => json(reference))}::jsonb[]),
      (select ${journals.map(({ legs }) => json(legs))}::jsonb[]), (select ${journals.map(({ hash }) => hash)}::text[])
    ) as j (id, kind, key, memo_hash, reference, legs, hash), `,
    lines,
    isOne: false,
    opens: [],
  })} select ${requireWritten(part`(select count(*) from journal) = ${journals.length}`)}`

function stepsOfOne({ journal, lines, memo }: NewJournal, opens: readonly string[]): SqlPart {
  const noted = memo
    ? part`, noted as (
    insert into ledger_memo (journal_id, author_id, memo, salt)
    select id, ${memo.author}, ${memo.memo}, ${memo.salt} from journal
  )`
    : part``
  const rows = part`
    select ${journal.id}::uuid, ${journal.kind}, ${journal.key}, ${journal.memoHash}, ${json(journal.reference)}::jsonb,
      ${json(journal.legs)}::jsonb, ${journal.at}::timestamptz, ${journal.hash} from `
  return part`${steps({ rows, lines, isOne: true, opens })}${noted}`
}

interface Steps {
  /** A select of the rows of the journals, up to its last table. */
  rows: SqlPart
  lines: readonly Line[]
  /** One journal costs less without looking for that of each line. */
  isOne: boolean
  opens: readonly string[]
}

/**
 * Order matters: balance rows are locked in account order, and only then are the keys taken, so that two postings can wait for
 * each other in one direction only.
 *
 * `(select array)` hides the arrays' lengths from the planner and `guard = 'row'` looks selective to it: so one plan
 * by index fits every posting and is cached, because planning each posting takes longer than running it (measured).
 */
function steps({ rows, lines, isOne, opens }: Steps): SqlPart {
  const guards = lines.map(({ account, change }) =>
    change === null ? 'none' : opens.includes(account) ? 'new' : 'row',
  )
  // One row, once the journals are written.
  const written = isOne ? part`journal` : part`(select count(*) from journal) written`
  const opened = opens.length
    ? part`, opened as (
    insert into ledger_balance (account, asset, balance)
    select l.account, l.asset, l.change from ${written}, line l where l.guard = 'new'
    returning account, asset, balance
  ), known as (select * from moved union all select * from opened)`
    : part`, known as (select * from moved)`
  const [ids, id] = isOne
    ? [part``, part``]
    : [part`(select ${lines.map(line => line.journalId)}::uuid[]), `, part`journal_id, `]
  const ofJournal = isOne ? part`cross join line l` : part`join line l on l.journal_id = j.id`
  return part`
  with line as materialized (
    select * from unnest(${ids}(select ${lines.map(line => line.account)}::text[]), (select ${lines.map(line => line.asset)}::text[]), (select ${lines.map(line => line.amount)}::bigint[]),
      (select ${lines.map(line => line.rest)}::bigint[]), (select ${lines.map(line => line.change)}::bigint[]), (select ${guards}::text[])) with ordinality as l (${id}account, asset, amount, rest, change, guard, place)
  ), locked as materialized (
    select from line l join ledger_balance b on b.account = l.account collate "C" and b.asset = l.asset collate "C"
    where l.guard = 'row' order by b.account, b.asset for update of b
  ), journal as (
    insert into ledger_journal (id, kind, key, memo_hash, reference, legs, at, hash)
    ${rows}(select count(*) as found from locked) l
    where l.found = ${guards.filter(guard => guard === 'row').length}
    on conflict (key) do nothing returning id
  ), moved as (
    update ledger_balance b set balance = b.balance + l.change from ${written}, line l
    where l.guard = 'row' and b.account = l.account collate "C" and b.asset = l.asset collate "C"
    returning b.account, b.asset, b.balance
  )${opened}, entry as (
    insert into ledger_entry (journal_id, account, asset, amount, balance_after)
    select j.id, l.account, l.asset, l.amount, m.balance - l.rest
    from journal j ${ofJournal} left join known m on m.account = l.account collate "C" and m.asset = l.asset collate "C"
    order by l.place
  ), waiting as (
    insert into ledger_unsealed (item_id) select id from journal
  )`
}
