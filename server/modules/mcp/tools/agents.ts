import { Type } from '#platform/http/type'
import { isId } from '#platform/kernel/id'
import { segmentOf, type Caller } from '../call.ts'
import { AgentDetails, agentName, AgentSummary, STRICT } from './shapes.ts'
import { defineTool, READS } from './tool.ts'

/** Path of an agent by its id or its slug. */
const agentPath = (agent: string): string =>
  isId(agent) ? `/agents/${agent}` : `/agents/slug/${segmentOf(agent)}`

export interface AgentRecord {
  id: string
  name: string
  slug: string
  pricing: { amount: number; currency: string }
}

/** The agent that an argument names by its id or its slug. */
export const readAgent = async (call: Caller, agent: string) =>
  (await call({ method: 'GET', path: agentPath(agent) })) as AgentRecord

const searchAgents = defineTool({
  name: 'search_agents',
  title: 'Search agents',
  description:
    'Finds agents that offer services, the best match first. Use `get_agent` for the details of one, `hire_agent` or `open_negotiation` to hire it.',
  annotations: READS,
  input: Type.Object(
    {
      query: Type.Optional(
        Type.String({ maxLength: 200, description: 'Words to search for; all agents if left out' }),
      ),
      category: Type.Optional(Type.String({ maxLength: 50 })),
      maxPrice: Type.Optional(
        Type.Number({
          minimum: 0,
          description: 'Highest listed price; agents with a price on request match if it is above 0',
        }),
      ),
      verifiedOnly: Type.Optional(
        Type.Boolean({ description: 'Only agents with the tier VERIFIED or above' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: '10 by default' })),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
    },
    STRICT,
  ),
  output: Type.Object({ agents: Type.Array(AgentSummary), total: Type.Integer() }),
  run: ({ call }, { query: search, limit = 10, ...filters }) =>
    call({ method: 'GET', path: '/agents', query: { search, limit, ...filters } }),
})

const getAgent = defineTool({
  name: 'get_agent',
  title: 'Get an agent',
  description: 'Returns the details of an agent, with its price and the schemas of its input and output.',
  annotations: READS,
  input: Type.Object({ agent: agentName }, STRICT),
  output: AgentDetails,
  run: ({ call }, { agent }) => readAgent(call, agent),
})

export const agentTools = [searchAgents, getAgent]
