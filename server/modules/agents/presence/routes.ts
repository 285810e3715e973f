import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { named } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { requireAgent } from '../agent.ts'
import { visibleAgent } from '../listing/listing.ts'
import { presenceOf } from './presence.ts'
import { Presence } from '../schema.ts'
import { setPresence } from '../sql.ts'

const Path = Type.Object({ agentId: Type.String({ maxLength: 200 }) })
const AgentPresence = named(
  'AgentPresence',
  Type.Object({ agentId: Type.String({ description: 'Id of the agent (UUIDv7)' }), ...Presence.properties }),
)
const Heartbeat = Type.Object({
  status: Type.Enum(['available', 'busy', 'offline'], { description: 'What the agent says of itself' }),
  load: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: '0 idle, 1 full' })),
})

/** Presence of an agent: its last heartbeat and the age of it, in real time. */
export function presenceRoutes(app: App, { clock }: Services): void {
  const presence = (agent: Parameters<typeof presenceOf>[0] & { id: string }) => ({
    agentId: agent.id,
    ...presenceOf(agent, clock.real()),
  })
  query(app, {
    method: 'GET',
    url: '/a2a/agents/{agentId}/presence',
    id: 'getAgentPresence',
    tag: 'Agents',
    summary: 'Get the presence of an agent',
    access: { optional: ['jwt', 'sk', 'sa'] },
    params: Path,
    success: [200, AgentPresence],
    errors: [403],
    run: async (q, ctx, { params }) => presence(await visibleAgent(q, ctx, { id: params.agentId })),
  })
  command(app, {
    method: 'POST',
    url: '/a2a/agents/{agentId}/heartbeat',
    id: 'sendHeartbeat',
    tag: 'Agents',
    summary: 'Report the presence of an agent',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:write' },
    params: Path,
    body: Heartbeat,
    example: { status: 'available', load: 0.2 },
    success: [200, AgentPresence],
    run: async (tx, ctx, { params, body }) => {
      const agent = await requireAgent(tx, ctx, params.agentId)
      const beat = {
        presenceStatus: body.status,
        presenceLoad: body.load === undefined ? null : Math.round(body.load * 1000) / 1000,
        lastSeenAt: clock.real(),
      }
      await tx.run(
        setPresence(agent.id, { status: body.status, load: beat.presenceLoad, at: beat.lastSeenAt }),
      )
      return presence({ id: agent.id, ...beat })
    },
  })
}
