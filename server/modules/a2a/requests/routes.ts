import { command, query, type App } from '#platform/http/operations'
import { pageAnswer, PageOf, pageOf } from '#platform/http/schema'
import { listRequests, requestCollaboration, respondToRequest } from './request.ts'
import {
  AgentPath,
  CollaborationRequest,
  CreateRequestBody,
  RequestQuery,
  requestView,
  RespondRequestBody,
} from './schema.ts'

/** Requests for collaboration between agents. */
export function requestRoutes(app: App): void {
  const write = {
    method: 'POST',
    tag: 'Agents',
    access: { accept: ['jwt', 'sk'], scope: 'ap2:negotiate' },
    success: [201, CollaborationRequest],
    errors: [404],
  } as const
  command(app, {
    ...write,
    url: '/agents/a2a',
    id: 'requestCollaboration',
    summary: 'Ask another agent to work together',
    body: CreateRequestBody,
    limit: { name: 'a2a-requests', max: 60, windowSeconds: 60, per: 'account' },
    run: async (tx, ctx, { body }) => requestView(await requestCollaboration(tx, ctx, body)),
  })
  command(app, {
    ...write,
    url: '/agents/a2a/respond',
    id: 'respondToCollaboration',
    summary: 'Accept or reject a request of another agent',
    body: RespondRequestBody,
    errors: [404, 409],
    run: async (tx, ctx, { body }) => requestView(await respondToRequest(tx, ctx, body)),
  })
  query(app, {
    method: 'GET',
    url: '/agents/a2a/{agentId}',
    id: 'listCollaborationRequests',
    tag: 'Agents',
    summary: 'List the requests that an agent sent and received',
    access: { accept: ['jwt', 'sk'], scope: 'agent:read' },
    params: AgentPath,
    query: RequestQuery,
    success: [200, PageOf(CollaborationRequest)],
    snapshot: true,
    run: async (q, ctx, { params, query: { role, status, ...query } }) => {
      const page = pageOf(query)
      const { rows, counted } = await listRequests(q, ctx, { ...params, role, status }, page)
      return pageAnswer(rows.map(requestView), counted, page)
    },
  })
}
