import type { Random } from '#test'
import { canary } from '../tenants/canaries.ts'
import { COMBINATIONS } from './combinations.ts'
import { resolve, type Operation, type Schema } from '../document/document.ts'
import { kindOfInput, type Kind } from '../document/kinds.ts'
import { named } from './named.ts'
import { plainText } from './texts.ts'

/** What the generator of one request knows. */
export interface Making {
  random: Random
  operation: Operation
  /** The tenant's, for canaries. */
  tag: string
  baseUrl: string
  email: string
  identifier(kind: Kind): unknown
}

/** Fields without a minimum of characters for a canary get text without one. */
const CANARY_LENGTH = 14
const OPTIONAL = 0.35

const FORMATS: Record<string, (making: Making, field: string) => string> = {
  email: ({ tag, operation }, field) => `${canary(tag, `${operation.name} ${field}`)}@example.com`,
  uri: ({ tag, operation }, field) => `https://${canary(tag, `${operation.name} ${field}`)}.example/`,
  'date-time': ({ random }) =>
    new Date(
      Date.now() + (random.below(40) - 5) * random.pick([60_000, 3_600_000, 86_400_000]),
    ).toISOString(),
  date: ({ random }) => new Date(Date.now() - random.below(30) * 86_400_000).toISOString().slice(0, 10),
}

/** A value that the schema accepts; `field` is its path in the body, such as `milestones[].title`. */
export function valueFor(making: Making, given: Schema, field: string): unknown {
  const { random } = making
  const schema = resolve(given)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return named(making, field) ?? random.pick(schema.enum)
  if (!isContainer(schema)) {
    const special = named(making, field) ?? identifierFor(making, field)
    if (special !== undefined) return special
  }
  if (schema.anyOf) return valueFor(making, random.pick(schema.anyOf), field)
  return ofType(making, schema, field)
}

function isContainer({ type, properties = {} }: Schema): boolean {
  const types = [type].flat()
  return types.includes('array') || (types.includes('object') && Object.keys(properties).length > 0)
}

function identifierFor(making: Making, field: string): unknown {
  const name = field.split('.').at(-1)?.replace('[]', '') ?? ''
  const kind = kindOfInput(making.operation.name, field.replaceAll('[]', '')) ?? kindOfInput('', name)
  return kind && making.identifier(kind)
}

function ofType(making: Making, schema: Schema, field: string): unknown {
  const { random } = making
  const type = schema.type && random.pick([schema.type].flat())
  switch (type) {
    case 'object':
      return objectFor(making, schema, field)
    case 'array': {
      const least = schema.minItems ?? 0
      const length = least + random.below(Math.min(3, (schema.maxItems ?? 3) - least + 1))
      return Array.from({ length }, () => valueFor(making, schema.items ?? {}, `${field}[]`))
    }
    case 'string':
      return stringFor(making, schema, field)
    case 'integer':
    case 'number':
      return numberFor(random, schema, type === 'integer')
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return freeValue(making, field)
  }
}

function objectFor(making: Making, schema: Schema, field: string): unknown {
  const { random } = making
  const entries = Object.entries(schema.properties ?? {})
  if (!entries.length) return freeObject(making, field)
  const combinations = field === '' && random.chance(0.75) ? COMBINATIONS[making.operation.name] : undefined
  const chosen = combinations && random.pick(combinations)
  const optional = random.pick([0, OPTIONAL, OPTIONAL, OPTIONAL, 1])
  return Object.fromEntries(
    entries
      .filter(
        ([name]) =>
          schema.required?.includes(name) || (chosen ? chosen.includes(name) : random.chance(optional)),
      )
      .map(([name, each]) => [name, valueFor(making, each, field ? `${field}.${name}` : name)]),
  )
}

function stringFor(making: Making, schema: Schema, field: string): string {
  const { random, tag, operation } = making
  const format = FORMATS[schema.format ?? '']
  if (format) return format(making, field)
  const example = schema.examples?.find(each => typeof each === 'string')
  const most = schema.maxLength ?? 1000
  const pattern = schema.pattern && schema.pattern !== '\\S' ? new RegExp(schema.pattern, 'u') : undefined
  const word = most < CANARY_LENGTH ? undefined : canary(tag, `${operation.name} ${field}`)
  if (!pattern) return word === undefined ? (example ?? 'x') : plainText(random, word, most)
  if (word !== undefined && pattern.test(word)) return word
  return example ?? patterned(schema.pattern ?? '')
}

/** Values for the patterns of the document that have no example. */
function patterned(pattern: string): string {
  const values = [
    'US',
    '1234',
    'a'.repeat(64),
    `0x${'a'.repeat(40)}`,
    `0x${'a'.repeat(64)}`,
    '/app',
    '50',
    'a'.repeat(20),
  ]
  return values.find(value => new RegExp(pattern, 'u').test(value)) ?? 'x'
}

function numberFor(random: Random, schema: Schema, isInteger: boolean): number {
  const least = schema.minimum ?? schema.exclusiveMinimum ?? 0
  const most = schema.maximum ?? 1000
  const span = Math.min(most - least, 100)
  const value = random.chance(0.15) ? random.pick([least, most]) : least + random.below(span * 4) / 4
  return isInteger ? Math.round(value) : value
}

function freeValue(making: Making, field: string): unknown {
  const { random, tag, operation } = making
  const word = canary(tag, `${operation.name} ${field}`)
  return random.pick<unknown>([word, freeObject(making, field), [word, 5, null]])
}

function freeObject({ random, tag, operation }: Making, field: string): object {
  const word = canary(tag, `${operation.name} ${field}`)
  return random.pick<object>([{}, { text: word }, { deep: [word, { more: word, count: 5, none: null }] }])
}
