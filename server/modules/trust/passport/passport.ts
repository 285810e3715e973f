import { agentById, visibleAgent, type Agent } from '#agents'
import { signing } from '#identity'
import type { PublicContext } from '#platform/http/principal'
import type { Static } from '#platform/http/type'
import { after, HOUR } from '#platform/kernel/clock'
import type { Queryable } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { sameText } from '#platform/kernel/secrets'
import type { Services } from '#platform/kernel/services'
import { isRecord } from '#platform/kernel/unknown'
import { EVIDENCE_MAX } from '../evaluate.ts'
import { readCertifications } from '../ports.ts'
import { countDisputes, passportsRevokedAt } from '../sql.ts'
import type { PassportRecord, Verdict } from './schema.ts'

export type Passport = Static<typeof PassportRecord>
type Reason = Static<typeof Verdict>['reason']
type Key = signing.DocumentKey

const VALID_FOR = 24 * HOUR
const TYP = 'passport+jws'

/** Why an agent has no valid passport; null for one that may have one. */
function reasonAgainst({ status, ownerSuspended }: Agent): string | null {
  if (status === 'SUSPENDED' || status === 'ARCHIVED') return `The agent is ${status}`
  return ownerSuspended ? 'The owner of the agent is suspended' : null
}

/** A passport of the agent, valid for 24 hours. Errors: 404 unknown, 403 private, 409 archived, suspended, or of a suspended owner. */
export async function issuePassport(
  q: Queryable,
  ctx: PublicContext,
  agentId: string,
  services: Services,
): Promise<Passport> {
  const agent = await visibleAgent(q, ctx, { id: agentId })
  const against = reasonAgainst(agent)
  if (against !== null) throw apiError(COMMON.STATE_CONFLICT, { hint: `${against}: it gets no passport` })
  const now = services.clock.now()
  const { disputes } = await q.one(countDisputes(agent.id, EVIDENCE_MAX))
  const content = {
    passportVersion: '1.0' as const,
    passportId: newId(),
    agentId: agent.id,
    slug: agent.slug,
    issuer: services.publicUrl,
    issuedAt: now.toISOString(),
    expiresAt: after(now, VALID_FOR).toISOString(),
    trust: {
      tier: agent.trustTier,
      score: agent.trustScore,
      completions: agent.completions,
      disputes,
      claimed: agent.claimedById !== null,
    },
    capabilities: agent.capabilities,
    certifications: await readCertifications(q, agent.id),
    fulfillmentTypes: agent.fulfillmentTypes,
  }
  const key = signing.documentKeysOf(services).active(now)
  const text = signing.canonicalJson(content)
  return { ...content, signature: signatureOf(key, text), proof: proofOf(key, text) }
}

const signatureOf = (key: Key, text: string) => ({
  alg: 'HS256' as const,
  kid: key.kid,
  value: signing.macOf(key, text),
})
const proofOf = (key: Key, text: string) => ({
  type: 'jws' as const,
  alg: 'Ed25519' as const,
  kid: key.kid,
  jws: signing.signText(key, TYP, text),
})

/** Whether a passport is ours, unchanged and still valid. `presented` is anything. */
export async function verifyPassport(
  q: Queryable,
  presented: unknown,
  services: Services,
): Promise<{ valid: boolean; reason: Reason }> {
  const checked = checkSignatures(presented, kid => signing.documentKeysOf(services).find(kid))
  const reason = typeof checked === 'string' ? checked : await checkValidity(q, checked, services.clock.now())
  return { valid: reason === 'ok', reason }
}

interface Content {
  agentId: string
  issuedAt: Date
  expiresAt: Date
}

async function checkValidity(q: Queryable, content: Content, now: Date): Promise<Reason> {
  if (content.expiresAt <= now) return 'expired'
  const agent = await agentById(q, content.agentId)
  if (!agent) return 'unknown_agent'
  const revokedAt = (await q.maybe(passportsRevokedAt(agent.id)))?.passportsRevokedAt
  const isRevoked = reasonAgainst(agent) !== null || (revokedAt && revokedAt >= content.issuedAt)
  return isRevoked ? 'revoked' : 'ok'
}

/**
 * What a passport says if both signatures are ours. Both are computed again and compared as text in constant time, with
 * the names of key and algorithm, so that no other spelling of the same bytes passes.
 */
export function checkSignatures(
  presented: unknown,
  findKey: (kid: unknown) => Key | undefined,
): Content | 'malformed' | 'bad_signature' {
  const parsed = parse(presented)
  if (!parsed) return 'malformed'
  const { text, signature, proof, content } = parsed
  const key = findKey(signature.kid)
  if (!key || !isSame(signature, signatureOf(key, text))) return 'bad_signature'
  return isSame(proof, proofOf(key, text)) ? content : 'bad_signature'
}

const isSame = (presented: object, own: object): boolean =>
  sameText(signing.canonicalJson(presented), signing.canonicalJson(own))

const isText = (value: unknown): value is string => typeof value === 'string'

function parse(presented: unknown) {
  if (!isRecord(presented)) return null
  const { signature, proof, ...content } = presented
  const { agentId, issuedAt, expiresAt } = content
  if (!isRecord(signature) || !isRecord(proof) || !isText(agentId)) return null
  if (!isText(issuedAt) || !isText(expiresAt)) return null
  const [issued, expires] = [new Date(issuedAt), new Date(expiresAt)]
  if (Number.isNaN(issued.getTime()) || Number.isNaN(expires.getTime())) return null
  try {
    const text = signing.canonicalJson(content)
    // What canonical JSON cannot express must not fail later.
    signing.canonicalJson({ signature, proof })
    return { text, signature, proof, content: { agentId, issuedAt: issued, expiresAt: expires } }
  } catch {
    return null
  }
}
