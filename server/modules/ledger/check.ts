import type { Db, Queryable } from '#platform/kernel/db'
import { formatMoney } from '#platform/kernel/money'
import { patiently } from '#platform/kernel/database/patient'
import type { LedgerCheck, Scope } from '#platform/kernel/ledger-check'
import { part, planAnew, sql, type SqlPart } from '#platform/kernel/sql'
import {
  balancesAfter,
  journalRules,
  rollupFindings,
  scopeCounts,
  scopeSums,
  type AccountSum,
} from './rules.ts'
import { trialBalance, type TrialRow } from './statement.ts'

export interface LedgerFigures {
  journals: number
  entries: number
  accounts: number
  trial: TrialRow[]
}
export interface LedgerReport {
  ok: boolean
  findings: string[]
  figures: LedgerFigures
  /** The block up to which the books are proved, before and after this run. */
  from: number
  to: number
}

/** What holds for all journals in blocks up to `block`. */
interface Proof {
  block: number
  journals: number
  entries: number
  sums: AccountSum[]
}

const NOTHING: Proof = { block: 0, journals: 0, entries: 0, sums: [] }
/** How many blocks, of at most 1000 journals each, and how many accounts one statement reads. */
const BLOCKS = 50
const ACCOUNTS = 20_000
/** Findings of one rule in one scope. */
const MOST_FINDINGS = 20

/**
 * Proves the books: `findings` is empty when every rule holds, those of upper modules (`extra`) too. It continues from the
 * block that the last run proved; `full` reads all history again and leaves that proof as it is.
 */
export const checkLedger = (
  db: Db,
  extra: readonly LedgerCheck[] = [],
  { full = false } = {},
): Promise<LedgerReport> =>
  // A rule may read all escrows or payments there are.
  patiently(db, patient => check(patient, extra, full))

async function check(db: Db, extra: readonly LedgerCheck[], full: boolean): Promise<LedgerReport> {
  const rules = [...journalRules, ...extra]
  const start = full ? NOTHING : await readProof(db)
  const { head } = await db.one(
    sql<{ head: number }>`select coalesce(max(number), 0)::int as head from ledger_block`,
  )
  const findings: string[] = []
  if (head < start.block)
    findings.push(
      `the last block is ${head}, block ${start.block} was there before: the end of the chain was cut off`,
    )
  let proof = start
  let reached = start
  while (reached.block < head) {
    const to = Math.min(reached.block + BLOCKS, head)
    const journals = part`select unnest(items) from ledger_block where number > ${reached.block} and number <= ${to}`
    const found = await findingsIn(db, rules, { journals, last: false, full })
    findings.push(...found)
    const next = await addScope(db, reached, to, journals)
    if (!found.length && proof === reached) {
      if (!full) await storeProof(db, reached, next)
      proof = next
    }
    reached = next
  }
  const journals = part`select unnest(items) from ledger_block where number > ${reached.block} union all select item_id from ledger_unsealed`
  findings.push(...(await findingsIn(db, rules, { journals, last: true, full })))
  findings.push(
    ...(await db.rows(firstOf(rollupFindings(reached.sums, journals)))).map(
      ({ finding }) =>
        `rollup and unsealed tail of unguarded accounts are the sum of their entries: ${finding}`,
    ),
  )
  findings.push(...(await balanceFindings(db, full)))
  if (full) findings.push(...(await countFindings(db, reached, journals)))
  const trial = await trialBalance(db)
  findings.push(...equation(trial))
  return {
    ok: findings.length === 0,
    findings,
    figures: { ...(await figures(db, reached, journals)), trial },
    from: start.block,
    to: proof.block,
  }
}

async function findingsIn(q: Queryable, rules: readonly LedgerCheck[], scope: Scope): Promise<string[]> {
  const findings: string[] = []
  for (const { name, statement } of rules) {
    for (const { finding } of await q.rows(firstOf(statement(scope)))) findings.push(`${name}: ${finding}`)
  }
  return findings
}

/**
 * The first rows of a rule. The limit is outside of a materialized query: within it the planner expects to stop after a few
 * findings and chooses nested loops, which take minutes where there is none.
 */
const firstOf = (rule: SqlPart) =>
  planAnew(
    sql<{
      finding: string
    }>`with found as materialized (${rule}) select finding from found limit ${MOST_FINDINGS}`,
  )

async function addScope(
  q: Queryable,
  { journals, entries, sums }: Proof,
  block: number,
  scope: SqlPart,
): Promise<Proof> {
  const counts = await q.one(scopeCounts(scope))
  const totals = new Map(sums.map(sum => [`${sum.account} ${sum.asset}`, sum]))
  for (const sum of await q.rows(scopeSums(scope))) {
    const before = totals.get(`${sum.account} ${sum.asset}`)?.total ?? '0'
    totals.set(`${sum.account} ${sum.asset}`, { ...sum, total: String(BigInt(before) + BigInt(sum.total)) })
  }
  return {
    block,
    journals: journals + counts.journals,
    entries: entries + counts.entries,
    sums: [...totals.values()],
  }
}

async function readProof(db: Db): Promise<Proof> {
  const rows = await db.rows(sql<
    Omit<Proof, 'sums'> & { account: string | null; asset: string; total: string }
  >`
    select p.block::int as block, p.journals::int as journals, p.entries::int as entries, s.account, s.asset, s.total::text as total
    from ledger_proof p left join ledger_proof_sum s on true`)
  const [first = NOTHING] = rows
  const sums = rows.flatMap(({ account, asset, total }) =>
    account === null ? [] : [{ account, asset, total }],
  )
  return { block: first.block, journals: first.journals, entries: first.entries, sums }
}

/** Stores what was proved, unless another run has stored more meanwhile. */
async function storeProof(db: Db, before: Proof, { block, journals, entries, sums }: Proof): Promise<void> {
  await db.transaction(async tx => {
    const stored = await tx.run(
      sql`update ledger_proof set block = ${block}, journals = ${journals}, entries = ${entries}, proved_at = clock_timestamp() where block = ${before.block}`,
    )
    if (stored)
      await tx.run(sql`insert into ledger_proof_sum (account, asset, total)
      select account, asset, total from unnest(${sums.map(sum => sum.account)}::text[], ${sums.map(sum => sum.asset)}::text[], ${sums.map(sum => sum.total)}::numeric[]) as s (account, asset, total)
      on conflict (account, asset) do update set total = excluded.total`)
  })
}

async function balanceFindings(q: Queryable, full: boolean): Promise<string[]> {
  const findings: string[] = []
  for (let from = '', rows = []; ; from = rows.at(-1)?.account ?? '') {
    rows = await q.rows(balancesAfter(from, ACCOUNTS, full))
    findings.push(
      ...rows
        .flatMap(({ finding }) => finding ?? [])
        .map(finding => `every balance is the sum of its entries: ${finding}`),
    )
    if (rows.length < ACCOUNTS) return findings
  }
}

/** Journals in no block and not in the queue. One statement with the tail, because sealing moves journals between them. */
async function countFindings(q: Queryable, { journals, entries }: Proof, tail: SqlPart): Promise<string[]> {
  const now = await q.one(sql<{
    journals: number
    entries: number
    tailJournals: number
    tailEntries: number
  }>`
    select (select count(*)::int from ledger_journal) as journals, (select count(*)::int from ledger_entry) as entries,
      count(distinct scope.id)::int as tail_journals, count(e.journal_id)::int as tail_entries
    from (${tail}) as scope (id) left join ledger_entry e on e.journal_id = scope.id`)
  const [lostJournals, lostEntries] = [
    now.journals - journals - now.tailJournals,
    now.entries - entries - now.tailEntries,
  ]
  return [
    ...(lostJournals
      ? [`every journal is in a block or waits for one: ${lostJournals} of ${now.journals} are not`]
      : []),
    ...(lostEntries
      ? [
          `every entry belongs to a journal in a block or to one that waits: ${lostEntries} of ${now.entries} do not`,
        ]
      : []),
  ]
}

async function figures(
  q: Queryable,
  { journals, entries }: Proof,
  tail: SqlPart,
): Promise<Omit<LedgerFigures, 'trial'>> {
  const counts = await q.one(scopeCounts(tail))
  const { accounts } = await q.one(
    sql<{ accounts: number }>`select count(*)::int as accounts from ledger_balance`,
  )
  return { journals: journals + counts.journals, entries: entries + counts.entries, accounts }
}

/** assets = liabilities + revenue - expense, over the stored balances; they are credit-positive. */
function equation(trial: readonly TrialRow[]): string[] {
  return [...new Set(trial.map(row => row.asset))].flatMap(asset => {
    const total = (kind: TrialRow['kind']) =>
      trial
        .filter(row => row.asset === asset && row.kind === kind)
        .reduce((sum, row) => sum + row.balance, 0n)
    const assets = -total('asset')
    const claims = total('liability') + total('revenue') + total('expense')
    return assets === claims
      ? []
      : [
          `assets = liabilities + revenue - expense: ${formatMoney(assets)} against ${formatMoney(claims)} ${asset}`,
        ]
  })
}
