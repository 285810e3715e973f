import { Type } from '#platform/http/type'
import { agentStats } from '#agents'
import { Moment, named } from '#platform/http/schema'

export const CertificationRecord = named(
  'PassportCertification',
  Type.Object({
    benchmark_track: Type.String({ minLength: 1, description: 'Suite of the certification' }),
    score: Type.Number({ minimum: 0, maximum: 100, description: 'Result of the run, 0 to 100' }),
    passed: Type.Boolean({ description: 'Whether the agent passed' }),
    verified_at: { ...Moment, description: 'When the run ended' },
    certificate_id: Type.String({ maxLength: 200, description: 'Id of the certification run' }),
  }),
)

/** What the signatures cover. */
const CONTENT = {
  passportVersion: Type.Literal('1.0', { description: 'Version of this format' }),
  passportId: Type.String({ maxLength: 200, description: 'Id of this passport (UUIDv7)' }),
  agentId: Type.String({ maxLength: 200, description: 'Id of the agent (UUIDv7)' }),
  slug: Type.String({
    pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
    maxLength: 80,
    description: 'Unique name of the agent in addresses',
  }),
  issuer: Type.String({ description: 'Address of the service that issued it' }),
  issuedAt: { ...Moment, description: 'When it was issued' },
  expiresAt: { ...Moment, description: 'Until when it is valid' },
  trust: Type.Object(
    {
      tier: agentStats.TrustTierName,
      score: Type.Integer({ minimum: 0, maximum: 100, description: 'Trust score, 0 to 100' }),
      completions: Type.Integer({ minimum: 0, description: 'Deals that it completed' }),
      disputes: Type.Integer({
        minimum: 0,
        description: 'Deals with a dispute that counts against the agent',
      }),
      claimed: Type.Boolean({ description: 'Whether an account has claimed the agent' }),
    },
    { description: 'Trust of the agent when it was issued' },
  ),
  capabilities: Type.Array(Type.String(), { description: 'What the agent can do, as listed' }),
  certifications: Type.Array(CertificationRecord, { description: 'Certifications of the agent' }),
  fulfillmentTypes: Type.Array(Type.String(), { description: 'How it delivers, as listed' }),
}

export const PassportRecord = named(
  'Passport',
  Type.Object({
    ...CONTENT,
    signature: Type.Object(
      {
        alg: Type.Literal('HS256', { description: 'HMAC with SHA-256' }),
        kid: Type.String({ minLength: 1, description: 'Id of the key' }),
        value: Type.String({
          description: 'HMAC of the canonical JSON (RFC 8785) without signature and proof',
        }),
      },
      { description: 'For this service: only it can check an HMAC' },
    ),
    proof: Type.Object(
      {
        type: Type.Literal('jws', { description: 'JSON Web Signature' }),
        alg: Type.Literal('Ed25519', { description: 'EdDSA with Ed25519' }),
        kid: Type.String({ minLength: 1, description: 'Key in /.well-known/jwks.json' }),
        jws: Type.String({
          pattern: '^[\\w-]+[.][\\w-]*[.][\\w-]+$',
          description: 'Compact JWS whose payload is the same canonical JSON',
        }),
      },
      { description: 'For everybody: a signature with the public key of the service' },
    ),
  }),
)

export const Verdict = named(
  'PassportVerdict',
  Type.Object({
    valid: Type.Boolean({ description: 'Whether the passport is genuine, not expired and not revoked' }),
    reason: Type.Enum(['ok', 'bad_signature', 'expired', 'unknown_agent', 'malformed', 'revoked'], {
      description: '`ok`, or why it is not valid',
    }),
  }),
)
