import { Type } from '#platform/http/type'
import { AmountIn, Currency, Moment, named, Nullable } from '#platform/http/schema'
import { SLUG_MAX, SLUG_PATTERN } from '#platform/kernel/slug'
import { AGENT_STATES } from './agent-machine.ts'

const literals = <T extends string>(...values: T[]) => Type.Enum(values)

export const TrustTierName = named('TrustTier', literals('UNVERIFIED', 'BASIC', 'VERIFIED', 'TRUSTED'))
export const StatusName = named('AgentStatus', literals(...AGENT_STATES))
export const VisibilityName = named('AgentVisibility', literals('PUBLIC', 'PRIVATE', 'UNLISTED'))
const PricingModelName = literals('custom', 'per_call', 'fixed', 'hourly')

const words = (maxItems: number, maxLength: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength, pattern: '\\S' }), { maxItems, description })
const JsonSchema = Nullable(
  Type.Object({}, { additionalProperties: true, description: 'A JSON Schema, at most 64 KiB' }),
)
const label = (description: string) => Nullable(Type.String({ minLength: 1, maxLength: 50, description }))

const LISTING = {
  slug: Type.Optional(
    Type.String({
      pattern: SLUG_PATTERN,
      minLength: 3,
      maxLength: SLUG_MAX,
      description: 'Unique; derived from the name when absent',
    }),
  ),
  description: Type.Optional(Type.String({ maxLength: 5000 })),
  categories: Type.Optional(words(10, 50, '["general"] by default')),
  tags: Type.Optional(words(20, 50, 'Free text')),
  capabilities: Type.Optional(words(50, 100, 'What it can do')),
  pricing: Type.Optional(
    Type.Object(
      {
        model: Type.Optional(PricingModelName),
        amount: Type.Optional(AmountIn),
        currency: Type.Optional(Currency),
      },
      { description: 'custom, 0 and USD by default' },
    ),
  ),
  visibility: Type.Optional(VisibilityName),
  ap2Endpoint: Type.Optional(
    Nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2000 })),
  ),
  conduit: Type.Optional(label('Integration that it runs on')),
  role: Type.Optional(label('For example seller or buyer')),
  inputSchema: Type.Optional(JsonSchema),
  outputSchema: Type.Optional(JsonSchema),
  fulfillmentTypes: Type.Optional(words(20, 50, 'For example browser-execution')),
}
const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', format: 'display-name' })

export const CreateBody = Type.Object({
  name: Name,
  ...LISTING,
  walletAddress: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      description: 'EVM address of its own; the service makes one when absent',
    }),
  ),
})
export const UpdateBody = named(
  'UpdateAgentRequest',
  Type.Object({
    name: Type.Optional(Name),
    ...LISTING,
    status: Type.Optional(
      Type.Enum([...AGENT_STATES], {
        description: 'ACTIVE publishes the agent, PAUSED pauses it, ARCHIVED archives it',
      }),
    ),
  }),
)

export const Presence = named(
  'Presence',
  Type.Object({
    status: literals('available', 'busy', 'offline', 'unknown'),
    lastSeenAt: Nullable(Moment),
    ageSeconds: Nullable(Type.Integer()),
    ttlSeconds: Type.Integer(),
    freshness: literals('live', 'stale', 'expired', 'never'),
    load: Nullable(Type.Number()),
    asOf: Moment,
  }),
)

const RECORD = {
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  categories: Type.Array(Type.String()),
  tags: Type.Array(Type.String()),
  capabilities: Type.Array(Type.String()),
  pricing: Type.Object({ model: PricingModelName, amount: Type.Number(), currency: Currency }),
  visibility: VisibilityName,
  role: Nullable(Type.String()),
  conduit: Nullable(Type.String()),
  ap2Endpoint: Nullable(Type.String()),
  inputSchema: Type.Unknown({ description: 'JSON Schema or null' }),
  outputSchema: Type.Unknown({ description: 'JSON Schema or null' }),
  fulfillmentTypes: Type.Array(Type.String()),
  status: StatusName,
  missing: Type.Array(Type.String(), { description: 'Recommended fields that are empty' }),
  trustTier: TrustTierName,
  trustScore: Type.Integer(),
  verificationStatus: literals('UNVERIFIED', 'PENDING', 'VERIFIED'),
  creatorId: Type.String(),
  claimedById: Nullable(Type.String()),
  ownerId: Type.String({ description: 'The account that claimed it, else the creator' }),
  walletId: Type.String(),
  x402WalletAddress: Nullable(Type.String()),
  presence: Presence,
  stats: Type.Object({
    executions: Type.Integer(),
    completions: Type.Integer(),
    rating: Nullable(Type.Number()),
  }),
  createdAt: Moment,
  updatedAt: Moment,
}
export const AgentRecord = named('Agent', Type.Object(RECORD))
export const CreatedAgent = named(
  'AgentWithKey',
  Type.Object({
    ...RECORD,
    apiKey: Type.String({ description: 'The sa_ key of this agent, shown once' }),
  }),
)

export const AgentPath = Type.Object({ id: Type.String({ maxLength: 200 }) })
export const SlugPath = Type.Object({ slug: Type.String({ maxLength: 200 }) })
