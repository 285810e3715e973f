import pg from 'pg'
import { searchFor } from './search.ts'

/**
 * The secret canary searches every database of a test file, its logs and its metrics for the passwords, keys, tokens,
 * codes and links that the file's calls sent or received. It runs when a test database is dropped and when a server
 * ends, so that it covers the whole test run.
 */

/** Secrets by their text; the value says where each was seen. */
const secrets = new Map<string, string>()

/** Fields of answers and requests that hold a secret, whatever it looks like. */
const SECRET_FIELDS = new Set([
  'refreshToken',
  'mfaToken',
  'manualEntryKey',
  'backupCodes',
  'challengeSolution',
])
const PASSWORD_FIELDS = new Set(['password', 'newPassword', 'currentPassword'])
/** Keys, voucher codes, access tokens, the tokens of links that work once, the codes and states of redirects. */
const SECRET_TEXTS = [
  /\b((?:sk|sa|rk)_[0-9A-Za-z]{36})\b/g,
  /\b([0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3})\b/g,
  /\b(eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})/g,
  /\/(?:setup|claim|reset|verify|login)\/((?![\da-f]{8}-)[\w-]{20,})/g,
  /[?&#](?:code|state|accessToken|refreshToken|mfaToken)=([\w.-]{20,})/g,
]
/** Names of settings that hold a secret. */
export const SECRET_SETTING = /SECRET|PASSWORD|TOKEN|_KEY$/
/** Shorter ones occur in other texts by chance. */
const SHORTEST = 10

/** A secret that no call shows, such as a setting. */
export function rememberSecret(secret: string, what: string): void {
  if (secret.length >= SHORTEST) secrets.set(secret, what)
}

/** Remembers the secrets of one call: what the answer gave, and the passwords of a request that was let in. */
export function rememberCall(
  where: string,
  call: { sent: unknown; ok: boolean; answered: unknown; text: string; headers: Headers },
): void {
  rememberFields(call.answered, SECRET_FIELDS, where)
  if (call.ok) rememberFields(call.sent, PASSWORD_FIELDS, where)
  const text = `${call.text} ${call.headers.get('location') ?? ''}`
  // One after another: each alone skips to where it can begin, which one expression of them all cannot.
  for (const form of SECRET_TEXTS)
    for (const [, secret = ''] of text.matchAll(form))
      rememberSecret(secret, `a secret in the answer of ${where}`)
  for (const cookie of call.headers.getSetCookie())
    rememberSecret(cookie.slice(cookie.indexOf('=') + 1).split(';')[0] ?? '', `cookie of ${where}`)
}

function rememberFields(value: unknown, names: ReadonlySet<string>, where: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, field] of Object.entries(value)) {
    if (names.has(name))
      for (const each of [field].flat())
        if (typeof each === 'string') rememberSecret(each, `${name} of ${where}`)
    rememberFields(field, names, where)
  }
}

/** How many secrets the calls of this process showed so far. */
export const secretsSeen = (): number => secrets.size

/** Throws if one of the named texts contains a remembered secret; bytes are hexadecimal in a dump. */
export function assertNoSecretIn(texts: Iterable<readonly [name: string, text: string]>): void {
  const found = new Set<string>()
  const forms = [...secrets].flatMap(
    ([secret, what]) =>
      [
        [secret, what],
        [Buffer.from(secret).toString('hex'), what],
      ] as const,
  )
  const search = searchFor(forms.map(([form]) => form))
  const reasons = new Map(forms)
  for (const [name, text] of texts)
    for (const form of search(text)) found.add(`${reasons.get(form)} in ${name}`)
  if (found.size) throw new Error(`secrets are in the clear:\n${[...found].join('\n')}`)
}

/** Every table of a database as text, by its name; most tables of a test never held a row. */
export async function dumpOf(databaseUrl: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{
      name: string
    }>(`select name from pg_tables, format('%I.%I', schemaname, tablename) as name
      where schemaname not in ('pg_catalog', 'information_schema') and pg_relation_size(name::regclass) > 0`)
    const texts = new Map<string, string>()
    for (const { name } of rows) {
      const table = await client.query<{ text: string | null }>(
        `select string_agg(t::text, e'\\n') as text from ${name} t`,
      )
      if (table.rows[0]?.text) texts.set(name, table.rows[0].text)
    }
    return texts
  } finally {
    await client.end()
  }
}
