import { parentPort, workerData } from 'node:worker_threads'
import { Ajv, type ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { SchemaAnswer } from './acceptance.ts'

// `$async` would make a promise of the verdict, and a promise passes for true.
const { schema: { $schema, $async: _, ...schema }, ...rest } = workerData as { schema: { $schema?: string; [keyword: string]: unknown }; value?: unknown }

function answer(): SchemaAnswer {
  const ajv = new (String($schema).includes('2020-12') ? Ajv2020 : Ajv)({
    strict: false, allErrors: false, logger: false,
  })
  ;(formats as unknown as (ajv: Ajv) => void)(ajv)
  try {
    const validate = ajv.compile(schema)
    if (!('value' in rest) || validate(rest.value)) return { ok: true, code: 'ok', reason: 'fits the schema' }
    return { ok: false, code: 'schema_mismatch', reason: describe(validate.errors?.[0]) }
  } catch (error) {
    return { ok: false, code: 'schema_invalid', reason: (error as Error).message.slice(0, 500) }
  }
}

const describe = (error: ErrorObject | undefined): string =>
  `the result does not fit the schema: ${error?.instancePath || 'it'} ${error?.message ?? 'is invalid'}`.slice(0, 500)

parentPort?.postMessage(answer(), [])
