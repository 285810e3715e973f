import { t } from '../../texts/text.ts'

/** The part of a JSON Schema that a form and a description in words are made of. */
export interface Field {
  key: string
  title: string
  description: string | undefined
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'any'
  /** Of the elements of an array. */
  itemType: string
  format: string | undefined
  isRequired: boolean
  choices: string[] | undefined
  isLong: boolean
  minimum: number | undefined
  maximum: number | undefined
  initial: unknown
}

type Schema = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const

/** The fields of an object schema; empty where the schema says nothing that can be shown. */
export function fieldsOf(schema: unknown): Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(schema.properties).flatMap(([key, field]) =>
    isObject(field) ? [fieldOf(key, field, required.includes(key))] : [],
  )
  // The database keeps no order of the names.
  return fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

function fieldOf(key: string, field: Schema, isRequired: boolean): Field {
  const maxLength = numberOf(field.maxLength)
  const choices = Array.isArray(field.enum)
    ? field.enum.filter((each): each is string => typeof each === 'string')
    : undefined
  return {
    key,
    title: textOf(field.title) ?? readable(key),
    description: textOf(field.description),
    type: TYPES.find(name => name === field.type) ?? (choices ? 'string' : 'any'),
    itemType: (isObject(field.items) && textOf(field.items.type)) || 'string',
    format: textOf(field.format),
    isRequired,
    choices: choices?.length ? choices : undefined,
    isLong: field.format === undefined && (maxLength === undefined || maxLength > 200),
    minimum: numberOf(field.minimum),
    maximum: numberOf(field.maximum),
    initial: field.default,
  }
}

/** `repository_url` and `repositoryUrl` as people write it. */
const readable = (key: string): string => {
  const words = key
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What a field takes, in words. */
export function typeInWords({ type, format, choices }: Field): string {
  if (choices) return t('agent.oneOf', { values: choices.join(', ') })
  if (format === 'uri') return t('agent.type.uri')
  if (format === 'date' || format === 'date-time') return t('agent.type.date')
  return t(`agent.type.${type}`)
}
