const PATTERN = /zq([0-9a-v]+)x([0-9a-v]+)qz/gi

/** Every text field that was written so far, `POST /agents name`; a canary names it by its place. */
const fields: string[] = []
const places = new Map<string, number>()

/** Tenants are numbered over the whole run: no two have the same canary. */
let tenants = 0
export const nextTenantTag = (): string => (tenants++).toString(32)

/** A word that names a tenant and the field into which it was written. */
export function canary(tag: string, field: string): string {
  const place = places.get(field) ?? fields.push(field) - 1
  places.set(field, place)
  return `zq${tag}x${place.toString(32)}qz`
}

export interface FoundCanary {
  text: string
  tag: string
  field: string
}

/** The canaries in a text, each once. */
export function canariesIn(text: string): FoundCanary[] {
  const found = new Map<string, FoundCanary>()
  for (const [word, tag = '', place = ''] of text.matchAll(PATTERN))
    found.set(word.toLowerCase(), {
      text: word,
      tag: tag.toLowerCase(),
      field: fields[Number.parseInt(place, 32)] ?? '',
    })
  return [...found.values()]
}
