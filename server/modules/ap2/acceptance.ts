import { Worker } from 'node:worker_threads'
import { fault, invalid } from '#platform/fault'
import { AP2 } from './faults.ts'

/** What a schema says of a value, or of itself. */
export interface SchemaAnswer { ok: boolean; code: 'ok' | 'schema_mismatch' | 'schema_invalid' | 'schema_timeout'; reason: string }

const CHECK_MS = 2000
const AT_ONCE = 2

/** The JSON Schema of `requirements.outputSchema`, which a result must fit; null where there is none. 400 where it is no object. */
export function acceptanceSchema(requirements: unknown): object | null {
  const schema = (requirements as { outputSchema?: unknown } | null | undefined)?.outputSchema
  if (schema === undefined || schema === null) return null
  if (typeof schema !== 'object' || Array.isArray(schema)) {
    throw invalid('requirements.outputSchema must be a JSON Schema object')
  }
  return schema
}

/** 400 for an acceptance rule that nothing could be checked against. Before the transaction: it may take a while. */
export async function demandUsableSchema(requirements: unknown): Promise<void> {
  const schema = acceptanceSchema(requirements)
  if (!schema) return
  const answer = await checkAgainst(schema)
  if (!answer.ok) throw invalid(`requirements.outputSchema cannot be used: ${answer.reason}`)
}

let running = 0
const waiting: (() => void)[] = []

/**
 * Checks a value (nothing: the schema alone) in a thread of its own, at most 2 s: strangers write both, and a
 * pattern of theirs must not stop the service.
 */
export async function checkAgainst(schema: object, value?: { value: unknown }): Promise<SchemaAnswer> {
  if (running >= AT_ONCE) await new Promise<void>(resolve => waiting.push(resolve))
  running++
  try {
    return await inThread({ schema, ...value })
  } finally {
    running--
    waiting.shift()?.()
  }
}

async function inThread(work: object): Promise<SchemaAnswer> {
  const worker = new Worker(new URL('acceptance-worker.ts', import.meta.url), {
    workerData: work, env: {}, resourceLimits: { maxOldGenerationSizeMb: 64 },
  })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<SchemaAnswer>(resolve => {
      worker.once('message', resolve)
      worker.once('error', error => resolve({ ok: false, code: 'schema_invalid', reason: error.message.slice(0, 500) }))
      timer = setTimeout(() => resolve({ ok: false, code: 'schema_timeout', reason: `the check took longer than ${CHECK_MS / 1000} s` }), CHECK_MS)
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}

/** 400 `Verification failed` with what the verifier saw. */
export const verificationFailed = (report: { code: string; reason: string }, deliveryId: string) =>
  fault(AP2.VERIFICATION_FAILED, { hint: report.reason, details: { ...report, deliveryId } })
