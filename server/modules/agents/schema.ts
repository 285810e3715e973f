import { schemas } from '#identity'
import { Type } from '#platform/http/type'
import { AmountIn, Currency, Moment, named, Nullable } from '#platform/http/schema'
import { SLUG_MAX, SLUG_PATTERN } from '#platform/kernel/slug'
import { AGENT_STATES } from './agent-machine.ts'

const literals = <T extends string>(...values: T[]) => Type.Enum(values)

export const TrustTierName = named('TrustTier', {
  ...literals('UNVERIFIED', 'BASIC', 'VERIFIED', 'TRUSTED'),
  description:
    'Earned by completed deals with other accounts: 3 for BASIC, 10 and a claim for VERIFIED. TRUSTED is given by an admin. A tier once reached stays',
})
export const StatusName = named('AgentStatus', {
  ...literals(...AGENT_STATES),
  description: 'Only an ACTIVE agent can be hired',
})
export const VisibilityName = named('AgentVisibility', {
  ...literals('PUBLIC', 'PRIVATE', 'UNLISTED'),
  description:
    'PUBLIC agents are in the search; UNLISTED ones can be read by those who know the slug; PRIVATE ones only by their owner',
})
const PricingModelName = {
  ...literals('custom', 'per_call', 'fixed', 'hourly'),
  description: 'How the price is meant; the price of a deal is negotiated',
}

const words = (maxItems: number, maxLength: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength, pattern: '\\S', format: 'display-name' }), {
    maxItems,
    description,
  })
const JsonSchema = Nullable(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'A JSON Schema, at most 64 KiB; its `examples` are shown as sample work',
    },
  ),
)
const label = (description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 50, format: 'display-name', description }))

const LISTING = {
  slug: Type.Optional(
    Type.String({
      pattern: SLUG_PATTERN,
      minLength: 3,
      maxLength: SLUG_MAX,
      description: 'Unique, and not starting with `deleted-`; derived from the name when absent',
    }),
  ),
  description: Type.Optional(
    Type.String({ maxLength: 5000, description: 'What the agent does, shown in the search' }),
  ),
  categories: Type.Optional(words(10, 50, '["general"] by default')),
  tags: Type.Optional(words(20, 50, 'Free text')),
  capabilities: Type.Optional(words(50, 100, 'What it can do')),
  pricing: Type.Optional(
    Type.Object(
      {
        model: Type.Optional(PricingModelName),
        amount: Type.Optional({
          ...AmountIn,
          description: 'Price in `currency` (dollars), at most 6 decimals',
        }),
        currency: Type.Optional(Currency),
      },
      { description: 'custom, 0 and USD by default' },
    ),
  ),
  visibility: Type.Optional(VisibilityName),
  ap2Endpoint: Type.Optional(
    Nullable(
      Type.String({
        format: 'uri',
        pattern: '^https?://',
        maxLength: 2000,
        description: 'URL of the agent that gets its runs; null for an agent that fetches them',
      }),
    ),
  ),
  conduit: Type.Optional(label('Integration that it runs on')),
  role: Type.Optional(label('For example seller or buyer')),
  inputSchema: Type.Optional(JsonSchema),
  outputSchema: Type.Optional(JsonSchema),
  fulfillmentTypes: Type.Optional(words(20, 50, 'For example browser-execution')),
}
const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  format: 'display-name',
  description: 'Display name, 1 to 100 characters',
})

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
    status: {
      ...literals('available', 'busy', 'offline', 'unknown'),
      description: 'available, busy or offline by the last heartbeat; unknown before the first',
    },
    lastSeenAt: Nullable({
      ...Moment,
      description: 'Last heartbeat or use of its key; null before the first',
    }),
    ageSeconds: Nullable(
      Type.Integer({ minimum: 0, description: 'Seconds since `lastSeenAt`; null before the first' }),
    ),
    ttlSeconds: Type.Integer({ minimum: 1, description: 'For how many seconds a heartbeat counts as live' }),
    freshness: {
      ...literals('live', 'stale', 'expired', 'never'),
      description:
        'live within `ttlSeconds`, stale within 10 minutes, then expired; never before the first heartbeat',
    },
    load: Nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Load that the agent reported, 0 idle to 1 full; null if unknown',
      }),
    ),
    asOf: { ...Moment, description: 'When the presence was computed' },
  }),
)

const RECORD = {
  id: Type.String({ maxLength: 200, description: 'Id of the agent (UUIDv7)' }),
  slug: Type.String({
    pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
    maxLength: 80,
    description: 'Unique name in addresses',
  }),
  name: Type.String({ maxLength: 200, description: 'Display name' }),
  description: Type.String({ description: 'What the agent does' }),
  categories: Type.Array(Type.String(), { maxItems: 10, description: 'Categories that it is listed in' }),
  tags: Type.Array(Type.String(), { maxItems: 20, description: 'Free tags' }),
  capabilities: Type.Array(Type.String(), { maxItems: 50, description: 'What it can do' }),
  pricing: Type.Object(
    {
      model: PricingModelName,
      amount: Type.Number({ minimum: 0, description: 'Price in `currency` (dollars)' }),
      currency: Currency,
    },
    { description: 'What it asks for; the price of a deal is negotiated' },
  ),
  visibility: VisibilityName,
  role: Nullable(
    Type.String({ description: 'Role that the listing names, such as seller; null without one' }),
  ),
  conduit: Nullable(Type.String({ description: 'Integration that it runs on; null without one' })),
  ap2Endpoint: Nullable(
    Type.String({ format: 'uri', description: 'URL that gets its runs; null if it fetches them' }),
  ),
  inputSchema: Type.Unknown({ description: 'JSON Schema or null' }),
  outputSchema: Type.Unknown({ description: 'JSON Schema or null' }),
  fulfillmentTypes: Type.Array(Type.String(), {
    maxItems: 20,
    description: 'How it delivers, such as browser-execution',
  }),
  status: StatusName,
  missing: Type.Array(Type.String(), { description: 'Recommended fields that are empty' }),
  trustTier: TrustTierName,
  trustScore: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: '0 to 100, see `GET /trust/{agentId}/score`',
  }),
  verificationStatus: {
    ...literals('UNVERIFIED', 'PENDING', 'VERIFIED'),
    description: 'VERIFIED from that trust tier on; PENDING while it is in review',
  },
  creatorId: Type.String({ maxLength: 200, description: 'Id of the account that created it' }),
  claimedById: Nullable(
    Type.String({ maxLength: 200, description: 'Id of the account that claimed it; null before' }),
  ),
  ownerId: Type.String({ maxLength: 200, description: 'The account that claimed it, else the creator' }),
  walletId: Type.String({ maxLength: 200, description: 'Id of its default wallet' }),
  x402WalletAddress: Nullable(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      description: 'Address on the chain at which it is paid in USDC; null without one',
    }),
  ),
  presence: Presence,
  stats: Type.Object(
    {
      executions: Type.Integer({ minimum: 0, description: 'Runs that ended successfully' }),
      completions: Type.Integer({ minimum: 0, description: 'Deals that it completed' }),
      rating: Nullable(
        Type.Number({
          minimum: 1,
          maximum: 5,
          description: 'Average of its reviews, 1 to 5; null without one',
        }),
      ),
    },
    { description: 'Counts of its deals' },
  ),
  createdAt: Moment,
  updatedAt: Moment,
}
export const AgentRecord = named('Agent', Type.Object(RECORD))
export const CreatedAgent = named(
  'AgentWithKey',
  Type.Object({
    ...RECORD,
    apiKey: schemas.ShownKey('sa', 'The sa_ key of this agent, shown once'),
  }),
)

export const AgentPath = Type.Object({ id: Type.String({ maxLength: 200 }) })
export const SlugPath = Type.Object({ slug: Type.String({ maxLength: 200 }) })
