import type { Type as TypeBox } from 'typebox'

export type { Static, TSchema } from 'typebox'

type Options = Record<string, unknown>
type Fields = Record<string, object>

const OPTIONAL = '~optional'
const isRequired = (schema: object): boolean => !Object.hasOwn(schema, OPTIONAL)

function optional(schema: object): object {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))
  return Object.defineProperty(copy, OPTIONAL, { value: true })
}

function object(properties: Fields, options?: Options): object {
  const required = Object.keys(properties).filter(name => isRequired(properties[name] ?? {}))
  return { type: 'object', ...(required.length ? { required } : {}), properties, ...options }
}

const builders = {
  Object: object,
  Optional: optional,
  Array: (items: object, options?: Options) => ({ type: 'array', items, ...options }),
  Record: (_key: object, value: object, options?: Options) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Union: (anyOf: object[], options?: Options) => ({ anyOf, ...options }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: [...values], ...options }),
  Literal: (value: unknown, options?: Options) => ({ type: typeof value, const: value, ...options }),
  String: (options?: Options) => ({ type: 'string', ...options }),
  Number: (options?: Options) => ({ type: 'number', ...options }),
  Integer: (options?: Options) => ({ type: 'integer', ...options }),
  Boolean: (options?: Options) => ({ type: 'boolean', ...options }),
  Null: (options?: Options) => ({ type: 'null', ...options }),
  Unknown: (options?: Options): object => ({ ...options }),
}

/**
 * TypeBox's builders of JSON Schemas that the service uses, with its types. The library itself is 370 modules, which would
 * take 90 ms of each start. A record's keys are any strings.
 */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>
