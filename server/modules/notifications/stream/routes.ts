import { Type } from '#platform/http/type'
import { page, type App } from '#platform/http/operations'
import { media } from '#platform/http/response'
import type { Services } from '#platform/kernel/services'
import type { AccountHub } from './account-hub.ts'
import type { AgentHub } from './agent-hub.ts'
import { openAccountStream, openAgentStream } from './stream.ts'

export const AgentPath = Type.Object({ id: Type.String({ maxLength: 200 }) })

const StreamQuery = Type.Object({
  lastEventId: Type.Optional(
    Type.String({ maxLength: 24, description: 'As the header Last-Event-ID, which wins' }),
  ),
})

const stream = {
  method: 'GET',
  query: StreamQuery,
  produces: 'text/event-stream',
  success: [200, Type.String()],
} as const
// Proxies must not collect the events.
const UNBUFFERED = { headers: { 'x-accel-buffering': 'no' } }

/** Streams of the events of an agent and of an account. */
export function streamRoutes(
  app: App,
  services: Services,
  hubs: { agents: AgentHub; accounts: AccountHub },
): void {
  // Before the service waits for open requests: a stream would never end by itself.
  app.addHook('preClose', async () => {
    hubs.agents.close()
    hubs.accounts.close()
  })
  accountStreamRoute(app, services, hubs.accounts)
  page(app, {
    ...stream,
    url: '/agents/{id}/events',
    id: 'streamAgentEvents',
    tag: 'Agents',
    summary: 'Stream the events of an agent',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' },
    params: AgentPath,
    description:
      'Server-sent events with `id`, `event` (the type) and `data` (an `AgentEvent` as JSON) about the deals of the agent; ' +
      'docs/API.md lists the types. To resume, send the header `Last-Event-ID`, as clients of server-sent events do, or ' +
      '`lastEventId`: the events after it follow, in order for each deal, 90 days back; `0` sends all. Without it the ' +
      'stream begins now. It ends when the key is revoked and, with an access token, after 15 minutes.',
    run: async (ctx, { params, query, http }) => {
      const lastEventId = http.headers['last-event-id'] ?? query.lastEventId
      const events = await openAgentStream(services, hubs.agents, ctx, { agentId: params.id, lastEventId })
      return media(events, 'text/event-stream', UNBUFFERED)
    },
  })
}

function accountStreamRoute(app: App, services: Services, hub: AccountHub): void {
  page(app, {
    ...stream,
    url: '/users/me/events',
    id: 'streamAccountEvents',
    tag: 'Account',
    summary: 'Stream the events of your deals',
    access: { accept: ['jwt'] },
    description:
      'Server-sent events with `id`, `event` (the type) and `data` (JSON: `type`, `timestamp` and the `data` of an ' +
      '`AgentEvent`) about the deals that your account buys or sells in, and those of the organizations in which you are ' +
      'OWNER or ADMIN. To resume, send the header `Last-Event-ID`, as clients of server-sent events do, or ' +
      '`lastEventId`: the events after it follow, 90 days back; `0` sends all. Without it the stream begins now. It ends ' +
      'with the session, and after 15 minutes: connect again.',
    run: async (ctx, { query, http }) => {
      const lastEventId = http.headers['last-event-id'] ?? query.lastEventId
      return media(await openAccountStream(services, hub, ctx, lastEventId), 'text/event-stream', UNBUFFERED)
    },
  })
}
