import { invalid } from '#platform/kernel/errors'
import { type RequestContext, requireUnboundCredential } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { type Listing } from '../agent.ts'
import { readOwn } from './listing.ts'

/** The verifier checks deliveries against the outputSchema, so it must be a usable JSON Schema. */
const CHECKS = { inputSchema: 'form', outputSchema: 'rule' } as const
/** Examples beyond these are not shown by the console. */
const MOST_CHECKED = 5
const FIELDS = ['inputSchema', 'outputSchema'] as const

/**
 * Requires valid JSON Schemas of limited size, otherwise 400. Runs before the transaction because the check may be slow,
 * and after the check of the caller's right to change the agent (`agentId`): 403, 404.
 */
export async function requireSchemas(
  { db, schemas }: Services,
  ctx: RequestContext,
  input: Partial<Listing>,
  agentId?: string,
): Promise<void> {
  const given = FIELDS.filter(field => input[field])
  if (given.length === 0) return
  if (agentId === undefined) requireUnboundCredential(ctx)
  else await readOwn(db, ctx, agentId)
  for (const field of given) {
    const { ok, reason } = await schemas.check(ctx.principal.accountId, {
      type: CHECKS[field],
      schema: input[field] ?? {},
    })
    if (!ok) throw invalid(`${field} must be a JSON Schema: ${reason}`)
    await requireFittingExamples(schemas, ctx, field, input[field] ?? {})
  }
}

/** The `examples` of a schema are shown as sample work: 400 for one that does not fit. */
async function requireFittingExamples(
  schemas: Services['schemas'],
  { principal: { accountId } }: RequestContext,
  field: (typeof FIELDS)[number],
  schema: { examples?: unknown },
): Promise<void> {
  const examples: readonly unknown[] = Array.isArray(schema.examples) ? schema.examples : []
  for (const [at, value] of examples.slice(0, MOST_CHECKED).entries()) {
    const { code, reason } = await schemas.check(accountId, { type: 'value', schema, value })
    if (code === 'schema_mismatch')
      throw invalid(`${field}.examples[${at}] does not fit the schema: ${reason}`)
  }
}
