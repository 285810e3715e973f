import { Type } from '#platform/http/type'
import { page, type App } from '#platform/http/operations'
import { media } from '#platform/http/response'
import type { Services } from '#platform/kernel/services'
import type { EventHub } from './hub.ts'
import { openStream } from './stream.ts'

export const AgentPath = Type.Object({ id: Type.String({ maxLength: 200 }) })

const StreamQuery = Type.Object({
  lastEventId: Type.Optional(
    Type.String({ maxLength: 24, description: 'As the header Last-Event-ID, which wins' }),
  ),
})

/** Stream of the events of an agent. */
export function streamRoutes(app: App, services: Services, hub: EventHub): void {
  // Before the service waits for open requests: a stream would never end by itself.
  app.addHook('preClose', async () => hub.close())
  page(app, {
    method: 'GET',
    url: '/agents/{id}/events',
    id: 'streamAgentEvents',
    tag: 'Agents',
    summary: 'Stream the events of an agent',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' },
    params: AgentPath,
    query: StreamQuery,
    produces: 'text/event-stream',
    success: [200, Type.String()],
    description:
      'Server-sent events with `id`, `event` (the type) and `data` (an `AgentEvent` as JSON) about the deals of the agent; ' +
      'docs/API.md lists the types. To resume, send the header `Last-Event-ID`, as clients of server-sent events do, or ' +
      '`lastEventId`: the events after it follow, in order for each deal, 90 days back; `0` sends all. Without it the ' +
      'stream begins now. It ends when the key is revoked and, with an access token, after 15 minutes.',
    run: async (ctx, { params, query, http }) => {
      const lastEventId = http.headers['last-event-id'] ?? query.lastEventId
      const stream = await openStream(services, hub, ctx, { agentId: params.id, lastEventId })
      return media(stream, 'text/event-stream', { headers: { 'x-accel-buffering': 'no' } })
    },
  })
}
