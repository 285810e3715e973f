import { fault, invalid } from '#platform/fault'
import type { SchemaAnswer, SchemaChecker } from '#platform/json-schema/checker'
import { AP2 } from './faults.ts'

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
export async function requireUsableSchema(schemas: SchemaChecker, accountId: string, requirements: unknown): Promise<void> {
  const schema = acceptanceSchema(requirements)
  if (!schema) return
  const answer: SchemaAnswer = await schemas.check(accountId, { type: 'rule', schema })
  if (!answer.ok) throw invalid(`requirements.outputSchema cannot be used: ${answer.reason}`)
}

/** 400 `Verification failed` with what the verifier saw. */
export const verificationFailed = (report: { code: string; reason: string }, deliveryId: string) =>
  fault(AP2.VERIFICATION_FAILED, { hint: report.reason, details: { ...report, deliveryId } })
