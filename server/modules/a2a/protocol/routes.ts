import { Readable } from 'node:stream'
import { visibleAgent } from '#agents'
import { dealTasks } from '#ap2'
import { commandInSteps, query, type App } from '#platform/http/operations'
import type { HttpRequest } from '#platform/http/request'
import { media } from '#platform/http/response'
import { installRpcErrors } from '#platform/http/rpc-errors'
import type { Services } from '#platform/kernel/services'
import { agentCard, serviceCard } from './card.ts'
import { TaskFollower } from './follow.ts'
import { answer } from './methods.ts'
import type { RpcAnswer } from './rpc.ts'
import { AgentPath, Card, RpcRequest, RpcResponse } from './schema.ts'

const tag = 'Agents'
const EXAMPLE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'message/send',
  params: {
    message: {
      kind: 'message',
      role: 'user',
      messageId: 'message-1',
      parts: [{ kind: 'text', text: 'Translate the release notes into French' }],
    },
    metadata: { agentSlug: 'scribe', budget: 25 },
  },
}

/** A2A 0.3: cards, and JSON-RPC over HTTP with server-sent events. */
export function protocolRoutes(app: App, services: Services): void {
  const { db, publicUrl } = services
  const follower = new TaskFollower(services)
  // Before the service waits for open requests: a stream would never end by itself.
  app.addHook('preClose', async () => follower.stop())
  const rules = dealTasks.rulesOf(services)
  const endpoint = (agentId: string | null, http: HttpRequest) => ({
    db,
    publicUrl,
    follower,
    rules,
    agentId,
    closed: () => http.closed(),
  })
  const call = {
    method: 'POST',
    tag,
    access: { accept: ['jwt', 'sk'], scope: 'ap2:execute' },
    body: RpcRequest,
    example: EXAMPLE,
    success: [200, RpcResponse],
    alsoProduces: 'text/event-stream',
  } as const
  void app.register(async calls => {
    installRpcErrors(calls, { status: 200 })
    commandInSteps(calls, {
      ...call,
      url: '/a2a',
      id: 'callA2a',
      summary: 'Hire any agent by A2A',
      run: async (_, ctx, { body, http }) => send(await answer(endpoint(null, http), ctx, body)),
    })
    commandInSteps(calls, {
      ...call,
      url: '/a2a/agents/{agentId}',
      id: 'callA2aAgent',
      summary: 'Hire an agent by A2A',
      params: AgentPath,
      run: async (_, ctx, { params, body, http }) => {
        const { id } = await visibleAgent(db, ctx, { id: params.agentId })
        return send(await answer(endpoint(id, http), ctx, body))
      },
    })
  })
  cardRoutes(app, services)
}

const send = (answered: RpcAnswer | Readable) =>
  answered instanceof Readable
    ? media(answered, 'text/event-stream', {
        headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      })
    : answered

function cardRoutes(app: App, { publicUrl }: Services): void {
  query(app, {
    method: 'GET',
    url: '/.well-known/agent-card.json',
    id: 'getServiceCard',
    tag: 'Discovery',
    summary: 'Get the A2A card of the service',
    access: 'public',
    databaseFree: true,
    success: [200, Card],
    run: async () => serviceCard(publicUrl),
  })
  for (const [path, id] of [
    ['.well-known/agent-card.json', 'getAgentCard'],
    ['agent-card.json', 'getAgentCardAlias'],
  ] as const)
    query(app, {
      method: 'GET',
      url: `/a2a/agents/{agentId}/${path}`,
      id,
      tag,
      summary: 'Get the A2A card of an agent',
      access: { optional: ['jwt', 'sk', 'sa'] },
      params: AgentPath,
      success: [200, Card],
      errors: [403],
      run: async (q, ctx, { params }) =>
        agentCard(await visibleAgent(q, ctx, { id: params.agentId }), publicUrl),
    })
}
