import { randomBytes } from 'node:crypto'

/** Names for paths: lower-case letters, digits, and single hyphens or underscores between them. */
export const SLUG_PATTERN = '^[a-z0-9]+(?:[-_][a-z0-9]+)*$'
export const SLUG_MAX = 80
const BASE_MAX = 60
const SUGGESTED = 3

/** The name as a slug; `kind` where the name has no Latin letters or digits. */
export function slugOf(name: string, kind: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return (
    plain
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, BASE_MAX)
      .replaceAll(/^-+|-+$/g, '') || kind
  )
}

export const withSuffix = (base: string): string => `${base}-${randomBytes(4).toString('hex')}`

/** Three slugs near `wanted` that `taken` does not know. */
export async function freeSlugs(
  wanted: string,
  kind: string,
  taken: (slugs: string[]) => Promise<{ slug: string }[]>,
): Promise<string[]> {
  const base = slugOf(wanted, kind)
  const near = [`${base}-2`, `${base}-3`, `${base}-${kind}`, withSuffix(base), withSuffix(base)]
  const found = new Set((await taken(near)).map(row => row.slug))
  return near.filter(slug => !found.has(slug)).slice(0, SUGGESTED)
}
