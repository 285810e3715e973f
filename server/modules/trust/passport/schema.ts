import { Type } from '#platform/http/type'
import { agentStats } from '#agents'
import { Moment, named } from '#platform/http/schema'

export const CertificationRecord = named(
  'PassportCertification',
  Type.Object({
    benchmark_track: Type.String(),
    score: Type.Number(),
    passed: Type.Boolean(),
    verified_at: Moment,
    certificate_id: Type.String(),
  }),
)

/** What the signatures cover. */
const CONTENT = {
  passportVersion: Type.Literal('1.0'),
  passportId: Type.String(),
  agentId: Type.String(),
  slug: Type.String(),
  issuer: Type.String(),
  issuedAt: Moment,
  expiresAt: Moment,
  trust: Type.Object({
    tier: agentStats.TrustTierName,
    score: Type.Integer(),
    completions: Type.Integer(),
    disputes: Type.Integer(),
    claimed: Type.Boolean(),
  }),
  capabilities: Type.Array(Type.String()),
  certifications: Type.Array(CertificationRecord),
  fulfillmentTypes: Type.Array(Type.String()),
}

export const PassportRecord = named(
  'Passport',
  Type.Object({
    ...CONTENT,
    signature: Type.Object({
      alg: Type.Literal('HS256'),
      kid: Type.String(),
      value: Type.String({
        description: 'HMAC of the canonical JSON (RFC 8785) without signature and proof',
      }),
    }),
    proof: Type.Object({
      type: Type.Literal('jws'),
      alg: Type.Literal('Ed25519'),
      kid: Type.String({ description: 'Key in /.well-known/jwks.json' }),
      jws: Type.String({ description: 'Compact JWS whose payload is the same canonical JSON' }),
    }),
  }),
)

export const Verdict = named(
  'PassportVerdict',
  Type.Object({
    valid: Type.Boolean(),
    reason: Type.Enum(['ok', 'bad_signature', 'expired', 'unknown_agent', 'malformed', 'revoked']),
  }),
)
