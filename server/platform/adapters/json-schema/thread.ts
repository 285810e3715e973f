import { parentPort } from 'node:worker_threads'
import { Ajv, type ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { FromThread, SchemaAnswer, SchemaTask } from './checker.ts'
import { asError } from '../../kernel/unknown.ts'

const FINE: SchemaAnswer = { ok: true, code: 'ok', reason: 'fits the schema' }

const send = (message: FromThread): void => parentPort?.postMessage(message, [])

const invalid = (reason: string): SchemaAnswer => ({
  ok: false,
  code: 'schema_invalid',
  reason: reason.slice(0, 500),
})

const describe = (error: ErrorObject | undefined): string =>
  `the result does not match the schema: ${error?.instancePath || 'it'} ${error?.message ?? 'is invalid'}`.slice(
    0,
    500,
  )

function newAjv(dialect: unknown): Ajv {
  const ajv = new (String(dialect).includes('2020-12') ? Ajv2020 : Ajv)({
    strict: false,
    allErrors: false,
    logger: false,
  })
  formats.default(ajv)
  return ajv
}

/** Whether a schema is well formed. One of a dialect that is unknown here counts as well formed. */
function checkForm(schema: object): SchemaAnswer {
  try {
    const ajv = newAjv(null)
    return ajv.validateSchema(schema) === true ? FINE : invalid(ajv.errorsText())
  } catch {
    return FINE
  }
}

function checkValue(task: SchemaTask): SchemaAnswer {
  // `$async` would make a promise of the verdict, and a promise passes for true.
  const { $schema, $async: _, ...schema }: Record<string, unknown> = { ...task.schema }
  try {
    const validate = newAjv($schema).compile(schema)
    send({ type: 'compiled' })
    if (task.type !== 'value' || validate(task.value)) return FINE
    return { ok: false, code: 'schema_mismatch', reason: describe(validate.errors?.[0]) }
  } catch (error) {
    return invalid(asError(error).message)
  }
}

// The first compilation is several times slower than the next: it must not count against the limit of the first task.
for (const dialect of [null, 'https://json-schema.org/draft/2020-12/schema'])
  newAjv(dialect).compile({ type: 'object', required: ['a'] })

parentPort?.on('message', (task: SchemaTask) => {
  send({ type: 'answer', answer: task.type === 'form' ? checkForm(task.schema) : checkValue(task) })
})
send({ type: 'ready' })
