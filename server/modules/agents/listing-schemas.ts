import { invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { demandWholeAccount, type Listing } from './agent.ts'
import { readOwn } from './listing.ts'

/** Deliveries are checked against the outputSchema, so it must be one that values can be checked against. */
const CHECKS = { inputSchema: 'form', outputSchema: 'rule' } as const
const FIELDS = ['inputSchema', 'outputSchema'] as const

/**
 * 400 for an input or output schema that is no JSON Schema, or too large. Runs before the transaction, because the check may
 * take a while, and after the caller's right to list or change the agent (`agentId`) is known: 403, 404.
 */
export async function requireSchemas({ db, schemas }: Services, actor: Actor, input: Partial<Listing>, agentId?: string): Promise<void> {
  const given = FIELDS.filter(field => input[field])
  if (given.length === 0) return
  if (agentId === undefined) demandWholeAccount(actor)
  else await readOwn(db, actor, agentId)
  for (const field of given) {
    const { ok, reason } = await schemas.check(actor.accountId, { type: CHECKS[field], schema: input[field] ?? {} })
    if (!ok) throw invalid(`${field} must be a JSON Schema: ${reason}`)
  }
}
