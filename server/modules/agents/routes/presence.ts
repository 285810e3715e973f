import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { named } from '#platform/http/schema'
import type { Services } from '#platform/services'
import { demandAgent } from '../agent.ts'
import { visibleAgent } from '../listing.ts'
import { presenceOf } from '../presence.ts'
import { Presence } from '../schema.ts'
import { setPresence } from '../sql.ts'

const Path = Type.Object({ agentId: Type.String({ maxLength: 200 }) })
const AgentPresence = named('AgentPresence', Type.Object({ agentId: Type.String(), ...Presence.properties }))
const Heartbeat = Type.Object({
  status: Type.Enum(['available', 'busy', 'offline']),
  load: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: '0 idle, 1 full' })),
})

/** Whether an agent is there: what its heartbeats said, and how fresh that is. Real time. */
export function presenceRoutes(app: App, { db, clock }: Services): void {
  const presence = (agent: Parameters<typeof presenceOf>[0] & { id: string }) => ({
    agentId: agent.id,
    ...presenceOf(agent, clock.real()),
  })
  route(app, {
    method: 'GET',
    url: '/a2a/agents/{agentId}/presence',
    id: 'getAgentPresence',
    tag: 'Agents',
    summary: 'Get the presence of an agent',
    auth: 'none',
    optionalAuth: 'agent',
    params: Path,
    reply: { 200: AgentPresence },
    errors: [403],
    handle: async ({ actor, params }) => presence(await visibleAgent(db, actor, { id: params.agentId })),
  })
  route(app, {
    method: 'POST',
    url: '/a2a/agents/{agentId}/heartbeat',
    id: 'sendHeartbeat',
    tag: 'Agents',
    summary: 'Report the presence of an agent',
    auth: 'agent',
    scope: 'agent:write',
    params: Path,
    body: Heartbeat,
    example: { status: 'available', load: 0.2 },
    reply: { 200: AgentPresence },
    handle: async ({ actor, params, body }) => {
      const agent = await demandAgent(db, actor, params.agentId)
      const beat = {
        presenceStatus: body.status,
        presenceLoad: body.load === undefined ? null : Math.round(body.load * 1000) / 1000,
        lastSeenAt: clock.real(),
      }
      await db.run(setPresence(agent.id, { status: body.status, load: beat.presenceLoad, at: beat.lastSeenAt }))
      return presence({ id: agent.id, ...beat })
    },
  })
}
