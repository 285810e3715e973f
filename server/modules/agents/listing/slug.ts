import type { Queryable } from '#platform/kernel/db'
import { freeSlugs, slugOf as plainSlugOf, withSuffix } from '#platform/kernel/slug'
import * as statements from '../sql.ts'

const KIND = 'agent'

export const slugOf = (name: string): string => plainSlugOf(name, KIND)

/** The slugs to try, in order: `base`, then `base` with random suffixes. */
export function slugCandidates(base: string): string[] {
  return [base, withSuffix(base), withSuffix(base), withSuffix(base)]
}

/** Three free slugs that are similar to `wanted`. */
export const slugSuggestions = (q: Queryable, wanted: string): Promise<string[]> =>
  freeSlugs(wanted, KIND, near => q.rows(statements.takenSlugs(near)))
