import { Type } from '#platform/http/type'
import { named, Nullable, pageFields, PageQuery } from '#platform/http/schema'
import { AgentRecord, StatusName, VisibilityName } from '../schema.ts'

const SORTS = ['relevance', 'trustScore', 'price', 'createdAt', 'completions', 'lastSeen'] as const
const text = (maxLength: number, description?: string) =>
  Type.Optional(Type.String({ maxLength, description }))
const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

const FILTERS = {
  search: text(
    200,
    'Searches name, tags, capabilities and description; supports "phrases", -excluded and OR. Accents make no difference. ' +
      'If nothing matches, the last word is taken as the beginning of a word',
  ),
  category: text(50),
  tag: text(50),
  capabilities: text(1000, 'Comma-separated; all of them'),
  maxPrice: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000_000,
      description:
        'USD; agents with a price on request match every maximum above 0, because the buyer names it',
    }),
  ),
  minReputation: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Trust score' })),
}

export const ListQuery = Type.Object({
  ...FILTERS,
  status: Type.Optional(StatusName),
  visibility: Type.Optional(VisibilityName),
  conduit: text(50),
  creatorId: text(200),
  ownerId: text(200, 'Id of the account that owns the agent'),
  filterRole: text(50),
  filterOnline: flag('Heartbeat in the last 10 minutes'),
  filterVerified: flag('VERIFIED or TRUSTED'),
  verifiedOnly: flag('The same'),
  showAll: flag('Also your agents in every state; all agents for an admin'),
  facets: flag('Also count the matches by category, tag and capability'),
  sortBy: Type.Optional(Type.Enum([...SORTS], { description: 'relevance with a search, else createdAt' })),
  sortOrder: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'desc, but asc for price' })),
  ...PageQuery,
})
const counts = (description: string) =>
  Type.Array(
    Type.Object({
      value: Type.String({ examples: ['writing'], description: 'The category, tag or capability' }),
      count: Type.Integer({ minimum: 1, description: 'How many matches have it' }),
    }),
    {
      description,
    },
  )
const Facets = named(
  'AgentFacets',
  Type.Object(
    {
      categories: counts('Under the other filters, without `category`'),
      tags: counts('Under the other filters, without `tag`'),
      capabilities: counts('Under all filters'),
    },
    { description: 'The 20 most frequent values of each, in lower case; of the first 10,000 matches' },
  ),
)
export const AgentPage = named(
  'AgentResults',
  Type.Object({
    agents: Type.Array(AgentRecord, { maxItems: 100, description: 'This page; empty beyond the last one' }),
    ...pageFields,
    facets: Type.Optional({ ...Facets, description: 'Only with `facets=true`' }),
  }),
)

export const DiscoverQuery = Type.Object({
  ...FILTERS,
  limit: PageQuery.limit,
  cursor: text(200, 'nextCursor of the previous page'),
})
export const DiscoverPage = named(
  'AgentDiscovery',
  Type.Object({
    agents: Type.Array(AgentRecord, { maxItems: 100, description: 'This page' }),
    total: Type.Integer({ description: 'How many match, at most 10,000', minimum: 0 }),
    totalIsCapped: Type.Optional(
      Type.Boolean({ description: 'True if more than 10,000 match; absent otherwise' }),
    ),
    nextCursor: Nullable(Type.String({ description: '`cursor` of the next page; null on the last one' })),
  }),
)
