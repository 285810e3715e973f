import { apiError, invalid } from '#platform/kernel/errors'
import type { SchemaAnswer, SchemaChecker } from '#platform/adapters/json-schema/checker'
import { CRITERIA_MAX } from '../criteria/criterion.ts'
import type { CriterionResult } from '../criteria/result.ts'
import { AP2 } from '../errors.ts'

/** The JSON Schema of `requirements.outputSchema`, which a result must fit; null where there is none. 400 where it is no object. */
export function acceptanceSchema(requirements: unknown): object | null {
  const schema = (requirements as { outputSchema?: unknown } | null | undefined)?.outputSchema
  if (schema === undefined || schema === null) return null
  if (typeof schema !== 'object' || Array.isArray(schema)) {
    throw invalid('requirements.outputSchema must be a JSON Schema object')
  }
  return schema
}

/** What the outputSchema of an agent requires of a result: without its samples, and null where it says nothing else. */
export function ruleOfAgent(outputSchema: object | null | undefined): object | null {
  const { examples: _, ...rule }: { examples?: unknown } = outputSchema ?? {}
  return Object.keys(rule).length ? rule : null
}

/** 400 for a schema that nothing could be checked against. Before the transaction: it may take a while. */
export async function requireUsableSchemas(
  schemas: SchemaChecker,
  accountId: string,
  { requirements, acceptance, field }: { requirements?: unknown; acceptance: unknown; field: string },
): Promise<void> {
  const agreed = acceptanceSchema(requirements)
  const rules = agreed ? [{ schema: agreed, name: 'requirements.outputSchema' }] : []
  for (const [index, each] of (Array.isArray(acceptance) ? acceptance : [])
    .slice(0, CRITERIA_MAX)
    .entries()) {
    const schema: unknown = (each as Partial<Record<string, unknown>> | null)?.schema
    if (typeof schema === 'object' && schema !== null)
      rules.push({ schema, name: `${field}[${index}].schema` })
  }
  for (const { schema, name } of rules) {
    const answer: SchemaAnswer = await schemas.check(accountId, { type: 'rule', schema })
    if (!answer.ok) throw invalid(`${name} cannot be used: ${answer.reason}`)
  }
}

/** What a request proposes as criteria of acceptance, as it was sent. */
export const acceptanceIn = (requirements: unknown): unknown =>
  (requirements as { acceptance?: unknown } | null | undefined)?.acceptance

/** Requirements without the criteria, which are stored by themselves. */
export function withoutAcceptance(requirements: unknown): unknown {
  if (acceptanceIn(requirements) === undefined) return requirements
  const { acceptance: _, ...rest } = requirements as Record<string, unknown>
  return rest
}

/** 400 `Verification failed` with what the verifier saw, and the result of each criterion. */
export const verificationFailed = (
  report: { code: string; reason: string },
  { id: deliveryId, criteria }: { id: string; criteria: CriterionResult[] | null },
) =>
  apiError(AP2.VERIFICATION_FAILED, {
    hint: report.reason,
    details: { ...report, deliveryId, ...(criteria ? { criteria } : {}) },
  })
