import type { Queryable } from '#platform/db'
import { freeSlugs, slugOf, withSuffix } from '#platform/slug'
import * as statements from './sql.ts'

const KIND = 'agent'

/** The slugs to try for a name, in order: the name itself, then with a random suffix. */
export function slugCandidates(name: string): string[] {
  const base = slugOf(name, KIND)
  return [base, withSuffix(base), withSuffix(base), withSuffix(base)]
}

/** Three slugs near `wanted` that are free now. */
export const slugSuggestions = (q: Queryable, wanted: string): Promise<string[]> =>
  freeSlugs(wanted, KIND, near => q.rows(statements.takenSlugs(near)))
