import { Type } from '#platform/http/type'

export const AgentIdPath = Type.Object({ agentId: Type.String({ maxLength: 200 }) })
