import { Ajv, type ValidateFunction } from 'ajv'
import type { Static, TSchema } from '#platform/http/type'

/** A check whether a value that is not a request body has the shape of `schema`; compiled when it is first used. */
export function schemaCheck<S extends TSchema>(schema: S): (value: unknown) => value is Static<S> {
  let validate: ValidateFunction<Static<S>> | undefined
  return (value): value is Static<S> => {
    validate ??= new Ajv({ strict: false }).compile<Static<S>>(schema)
    return validate(value)
  }
}
