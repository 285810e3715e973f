import type { Queryable } from '#platform/kernel/db'
import { invalid } from '#platform/kernel/errors'
import { freeSlugs, slugOf as plainSlugOf, withSuffix } from '#platform/kernel/slug'
import * as statements from '../sql.ts'

const KIND = 'agent'
const DELETED = 'deleted-'

/** The slug of an agent that is erased with its account. Its suffix is random, so that nobody can take it before. */
export const slugOfDeleted = (agentId: string): string => withSuffix(`${DELETED}${agentId}`)

/** 400 for a slug that only agents of deleted accounts have. */
export function requireUsableSlug(slug: string): void {
  if (slug.startsWith(DELETED))
    throw invalid(`slug must not start with ${DELETED}: agents of deleted accounts are named so`)
}

/** The name as a slug of at least three characters, as a slug of the owner's choice must have. */
export function slugOf(name: string): string {
  const plain = plainSlugOf(name, KIND)
  return plain.length < 3 ? `${KIND}-${plain}` : plain
}

/** The slugs to try, in order: `wanted`, then `wanted` with random suffixes. */
export function slugCandidates(wanted: string): string[] {
  const base = wanted.startsWith(DELETED) ? `${KIND}-${wanted}` : wanted
  return [base, withSuffix(base), withSuffix(base), withSuffix(base)]
}

/** Three free slugs that are similar to `wanted`. */
export const slugSuggestions = (q: Queryable, wanted: string): Promise<string[]> =>
  freeSlugs(wanted, KIND, near => q.rows(statements.takenSlugs(near)))
