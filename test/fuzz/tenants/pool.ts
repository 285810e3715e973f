import type { Random } from '#test'
import { nameOf, resolve, type Schema } from '../document/document.ts'
import { kindOfLink, kindOfReply, LINK, type Kind } from '../document/kinds.ts'

/** How many identifiers of a kind a tenant remembers; the newest are the most useful. */
const MOST = 60

/** A tenant of a scenario, by its index. */
export type TenantIndex = number

/** The identifiers that replies showed, by kind and by the tenant that saw them. */
export class Pool {
  readonly #seen = new Map<string, unknown[]>()

  add(tenant: TenantIndex, kind: Kind, value: unknown): void {
    const key = `${tenant} ${kind}`
    const values = this.#seen.get(key) ?? []
    this.#seen.set(key, values)
    const at = values.indexOf(value)
    if (at >= 0) values.splice(at, 1)
    else if (values.length === MOST) values.shift()
    values.push(value)
  }

  knows = (tenant: TenantIndex, kind: Kind, value: unknown): boolean =>
    this.#seen.get(`${tenant} ${kind}`)?.includes(value) ?? false

  has = (tenant: TenantIndex, kind: Kind): boolean => this.#seen.has(`${tenant} ${kind}`)

  /** One that the tenant saw, more often a recent one. */
  pick(random: Random, tenant: TenantIndex, kind: Kind): unknown {
    const values = this.#seen.get(`${tenant} ${kind}`) ?? []
    if (!values.length) return undefined
    const back = random.chance(0.5) ? random.below(Math.min(3, values.length)) : random.below(values.length)
    return values[values.length - 1 - back]
  }

  /** Remembers the identifiers of a reply, and returns them. */
  learn(tenant: TenantIndex, schema: Schema, body: unknown): (readonly [Kind, string])[] {
    const found = [...identifiersIn(schema, body)]
    for (const [kind, value] of found) this.add(tenant, kind, value)
    return found
  }

  /** Remembers the tokens of links in a text. */
  learnLinks(tenant: TenantIndex, text: string): void {
    for (const [, word = '', token = ''] of text.matchAll(LINK)) this.add(tenant, kindOfLink(word), token)
  }
}

/** Every identifier of a value, with its kind. */
function* identifiersIn(given: Schema, value: unknown, component?: string): Generator<[Kind, string]> {
  const schema = resolve(given)
  const name = nameOf(given) ?? component
  for (const variant of schema.anyOf ?? []) yield* identifiersIn(variant, value, name)
  if (Array.isArray(value)) {
    for (const each of value) yield* identifiersIn(schema.items ?? {}, each)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, each] of Object.entries(value)) {
    if (typeof each === 'string' && each !== '') {
      const kind = kindOfReply(name, key)
      if (kind) yield [kind, each]
    } else if (schema.properties?.[key]) yield* identifiersIn(schema.properties[key], each)
  }
}
