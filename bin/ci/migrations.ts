import { glob, readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { BEFORE_THE_CHECK } from './migrations-before.ts'

const FILES = 'server/{platform,modules/*}/migrations/*.sql'
/** The line of a migration that says why a lock on its table is short, or why no older version runs beside it. */
const REASON = /^-- locks: \S.{20,}$/m

interface Rule {
  /** What is refused in a statement, without comments and in lower case. */
  refused: RegExp
  /** Where it is no danger all the same. */
  unless?: RegExp
  advice: string
}

/** Statements that keep writers or readers of a large table waiting, or that a running older version does not survive. */
const RULES: readonly Rule[] = [
  {
    refused: /^create (?:unique )?index (?!concurrently)/,
    advice: 'blocks writes while the index is made: "-- outside a transaction" and create index concurrently',
  },
  {
    refused: /^(?:drop index|reindex) (?!concurrently)/,
    advice: 'waits with an exclusive lock: "-- outside a transaction" and concurrently',
  },
  {
    refused: /\balter (?:column )?\w+ (?:set data )?type\b/,
    advice: 'rewrites the table: add a column, fill it in batches, and use it from the next version on',
  },
  {
    refused: /\bset not null\b/,
    advice:
      'reads the whole table: add a check (... is not null) not valid, and validate it in a later migration',
  },
  {
    refused: /\badd (?:constraint \w+ )?(?:check|foreign key)\b/,
    unless: /\bnot valid\b/,
    advice: 'reads the whole table: add it "not valid", and validate it in a later migration',
  },
  {
    refused: /\badd (?:constraint \w+ )?(?:unique|primary key|exclude)\b/,
    unless: /\busing index\b/,
    advice:
      'makes an index under a lock: create unique index concurrently, then add the constraint using index',
  },
  {
    refused:
      /\badd (?:column )?(?!constraint)[^;]*\b(?:references|check \(|unique|primary key|stored|gen_random_uuid|clock_timestamp|random\()/,
    unless: /\badd (?:constraint|check|foreign key|unique|primary key|exclude)\b/,
    advice: 'reads or rewrites the table: add a plain column, and the rest in later steps',
  },
  {
    refused: /^(?:update|delete from|truncate|lock table|cluster|vacuum)\b/,
    advice:
      'locks rows or the table until the migration ends: change rows in batches, in a task of the service',
  },
  {
    refused: /\b(?:drop column|rename|drop table)\b|^drop table\b/,
    advice: 'an older version that runs beside this one still uses it: remove it one version later',
  },
]

/** Migrations that keep others waiting, as `path: statement: advice`. New tables may have everything. */
export async function checkMigrations(): Promise<string[]> {
  const failures: string[] = []
  for (const file of (await Array.fromAsync(glob(FILES))).sort()) {
    const [owner = ''] = dirname(dirname(file)).split('/').slice(-1)
    if (BEFORE_THE_CHECK.has(`${owner}/${basename(file)}`)) continue
    failures.push(...findDangers(await readFile(file, 'utf8')).map(danger => `${file}: ${danger}`))
  }
  return failures
}

/** What is dangerous in the text of a migration. */
export function findDangers(text: string): string[] {
  if (REASON.test(text)) return []
  const plain = text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .toLowerCase()
  const statements = plain.split(';').map(each => each.replaceAll(/\s+/g, ' ').trim())
  const made = new Set([...plain.matchAll(/create table (?:if not exists )?(\w+)/g)].map(([, name]) => name))
  return statements.flatMap(statement => {
    const table = tableOf(statement)
    if (table && made.has(table)) return []
    const rule = RULES.find(({ refused, unless }) => refused.test(statement) && !unless?.test(statement))
    return rule ? [`"${statement.slice(0, 70)}" ${rule.advice}, or say why it is short: "-- locks: ..."`] : []
  })
}

const tableOf = (statement: string): string | undefined =>
  /^(?:create (?:unique )?index(?: concurrently)?(?: if not exists)?(?: \w+)? on|alter table(?: if exists)?(?: only)?|update|delete from|truncate(?: table)?) (\w+)/.exec(
    statement,
  )?.[1]
