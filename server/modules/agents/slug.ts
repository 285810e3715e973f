import type { Queryable } from '#platform/db'
import { freeSlugs, slugOf as plainSlugOf, withSuffix } from '#platform/slug'
import * as statements from './sql.ts'

const KIND = 'agent'

export const slugOf = (name: string): string => plainSlugOf(name, KIND)

/** The slugs to try, in order: `base` itself, then with a random suffix. */
export function slugCandidates(base: string): string[] {
  return [base, withSuffix(base), withSuffix(base), withSuffix(base)]
}

/** Three slugs near `wanted` that are free now. */
export const slugSuggestions = (q: Queryable, wanted: string): Promise<string[]> =>
  freeSlugs(wanted, KIND, near => q.rows(statements.takenSlugs(near)))
