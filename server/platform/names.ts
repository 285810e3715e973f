import type { Tx } from './db.ts'
import { identifier, joined, json, part, sql, type SqlPart } from './sql.ts'

/** What stands where a text named somebody whose account was deleted. */
export const DELETED_PERSON = '[deleted user]'
/** What stands where a text was, in a field that cannot be empty. */
export const REMOVED = '[removed]'

// Names that are words of the trade: taking them out of texts would spoil these and hide nobody.
const COMMON = new Set(
  'account admin agent buyer client customer human name nobody none owner person seller service test user wallet'.split(' '),
)

/**
 * Whether a chosen name tells who somebody is: more than one word, or one of at least four letters that is no word of
 * the trade.
 */
export function isTelling(name: string): boolean {
  const words = name.trim().split(/\s+/)
  if (words.length > 1) return words.some(word => word.length > 1)
  return name.trim().length >= 4 && !COMMON.has(name.trim().toLowerCase())
}

/** A name that its bearer may change at will, and since when it stands. */
export interface ChosenName { word: string; since: Date }

/** By what texts may name one person: address, username, wallets; and names of choice: the full name, listings. */
export class Names {
  readonly #words: readonly string[]
  readonly #chosen: readonly ChosenName[]
  readonly #patterns = new Map<string, RegExp>()

  constructor(words: readonly string[], chosen: readonly ChosenName[] = []) {
    this.#words = sorted(words)
    this.#chosen = chosen
  }

  /** For `lower(text) like any (...)`: finds every row that `clean` would change, and some that it would not. */
  get likes(): string[] {
    return sorted([...this.#words, ...this.#chosen.map(({ word }) => word)]).flatMap(word => [word, JSON.stringify(word).slice(1, -1)]).map(word =>
      `%${word.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll(/\s+|[^\x20-\x7e]+/g, '%')}%`)
  }

  /**
   * The same value with a neutral word for every name in its texts, keys of objects too. A chosen name counts in what was
   * written since it stands: else anybody could spoil another's words by taking them for a name before leaving.
   */
  clean<T>(value: T, writtenAt: Date): T {
    const words = sorted([...this.#words, ...this.#chosen.filter(({ since }) => since <= writtenAt).map(({ word }) => word)])
    return words.length ? cleaned(value, this.#patternOf(words)) as T : value
  }

  #patternOf(words: readonly string[]): RegExp {
    const key = words.join('\n')
    const known = this.#patterns.get(key) ?? new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.map(patternOf).join('|')})(?![\\p{L}\\p{N}_])`, 'gu')
    this.#patterns.set(key, known)
    return known
  }
}

const sorted = (words: readonly string[]): string[] =>
  [...new Set(words.map(word => word.trim()).filter(Boolean))].sort((a, b) => b.length - a.length)

// What is made up for somebody (an address, a username, a full name) is found in any case. A single name may be a word
// like any other (Rose, Will): it counts as it is written.
function patternOf(word: string): string {
  const escaped = word.split(/\s+/).map(each => RegExp.escape(each)).join(String.raw`\s+`)
  return /[\s\d@_-]/.test(word) || word === word.toLowerCase() ? `(?i:${escaped})` : escaped
}

function cleaned(value: unknown, pattern: RegExp): unknown {
  if (typeof value === 'string') return value.replaceAll(pattern, DELETED_PERSON)
  if (Array.isArray(value)) return value.map(each => cleaned(each, pattern))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cleaned(key, pattern), cleaned(each, pattern)]))
}

export interface Texts {
  table: string
  text?: readonly string[]
  json?: readonly string[]
  /** When the texts of a row were written, `created_at` unless told. */
  writtenAt?: SqlPart
  /** Which rows: only those of the person's own dealings, or a stranger's chosen name would change everybody's texts. */
  where: SqlPart
}

/** Takes a person's names out of what others wrote. The table has the key `id`. */
export async function cleanRows(tx: Tx, names: Names, { table, text = [], json: trees = [], writtenAt = part`created_at`, where }: Texts): Promise<void> {
  const columns = [...text, ...trees].map(name => identifier(name))
  const found = await tx.rows(sql<Record<string, unknown> & { id: string; written_at: Date }>`
    select id, ${writtenAt} as written_at, ${joined(columns, ', ')} from ${identifier(table)}
    where ${where} and lower(concat_ws(' ', ${joined(columns, ', ')})) like any (${names.likes}::text[])`)
  for (const { id, written_at, ...row } of found) {
    const sets = Object.entries(row).map(([name, value]) => {
      const clean = names.clean(value, written_at)
      return part`${identifier(name)} = ${trees.includes(name) && clean !== null ? part`${json(clean)}::jsonb` : part`${clean}`}`
    })
    await tx.run(sql`update ${identifier(table)} set ${joined(sets, ', ')} where id = ${id}`)
  }
}
