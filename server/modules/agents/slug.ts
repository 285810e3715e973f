import { randomBytes } from 'node:crypto'
import type { Queryable } from '#platform/db'
import * as statements from './sql.ts'

/** Lower-case letters, digits, and single hyphens or underscores between them. */
export const SLUG_PATTERN = '^[a-z0-9]+(?:[-_][a-z0-9]+)*$'
export const SLUG_MAX = 80
const BASE_MAX = 60

/** The name as a slug; a name without Latin letters or digits becomes `agent`. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return (
    plain
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, BASE_MAX)
      .replaceAll(/^-+|-+$/g, '') || 'agent'
  )
}

const withSuffix = (base: string): string => `${base}-${randomBytes(4).toString('hex')}`

/** The slugs to try for a name, in order: the name itself, then with a random suffix. */
export function slugCandidates(name: string): string[] {
  const base = slugOf(name)
  return [base, withSuffix(base), withSuffix(base), withSuffix(base)]
}

/** Three slugs near `wanted` that are free now. */
export async function slugSuggestions(q: Queryable, wanted: string): Promise<string[]> {
  const base = slugOf(wanted)
  const near = [`${base}-2`, `${base}-3`, `${base}-agent`, withSuffix(base), withSuffix(base)]
  const taken = new Set((await q.rows(statements.takenSlugs(near))).map(row => row.slug))
  return near.filter(slug => !taken.has(slug)).slice(0, 3)
}
