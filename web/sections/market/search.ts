import { flagParam, given, numberParam, oneOf, textParam } from '../../parts/search-params.ts'

export const SORTS = ['relevance', 'createdAt', 'trustScore', 'price', 'completions'] as const

/** What the address of the catalog says. */
export interface AgentSearch {
  search?: string
  category?: string
  tag?: string
  capabilities?: string
  maxPrice?: number
  minReputation?: number
  verified?: true
  online?: true
  sort?: (typeof SORTS)[number]
  offset?: number
}

export const agentSearch = (search: Record<string, unknown>): AgentSearch =>
  given({
    search: textParam(search.search),
    category: textParam(search.category),
    tag: textParam(search.tag),
    capabilities: textParam(search.capabilities),
    maxPrice: numberParam(search.maxPrice),
    minReputation: numberParam(search.minReputation),
    verified: flagParam(search.verified),
    online: flagParam(search.online),
    sort: oneOf(SORTS, search.sort),
    offset: numberParam(search.offset) || undefined,
  })

/** How many filters narrow the list, beside the words. */
export const filterCount = (search: AgentSearch): number =>
  FILTERS.filter(name => search[name] !== undefined).length

const FILTERS = [
  'category',
  'tag',
  'capabilities',
  'maxPrice',
  'minReputation',
  'verified',
  'online',
] as const satisfies readonly (keyof AgentSearch)[]

export const wordsOf = (csv: string | undefined): string[] => csv?.split(',').filter(Boolean) ?? []
