import { collaboration, naming, rating, sending } from './bodies.ts'
import { all, one, READ, type Row } from './row.ts'
import * as targets from './social-targets.ts'
import * as at from './targets.ts'

/** Refused within JSON-RPC. */
const asking = sending({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'of-no-task' } })

const pinging = sending({ jsonrpc: '2.0', id: 1, method: 'ping' })

/** Ratings, requests between agents, and what an agent traded. */
export const social: Row[] = [
  all('POST /a2a', 'service', 200, asking),
  one('POST /a2a/agents/{agentId}', 'service', at.privateAgent, { ...READ, ...asking }),
  all('POST /mcp', 'agent', 200, pinging),
  all('GET /.well-known/oauth-protected-resource', 'none'),
  all('GET /.well-known/oauth-protected-resource/mcp', 'none'),
  all('GET /.well-known/agent-card.json', 'none'),
  one('GET /a2a/agents/{agentId}/.well-known/agent-card.json', 'none', at.privateAgent, READ),
  one('GET /a2a/agents/{agentId}/agent-card.json', 'none', at.privateAgent, READ),
  all('GET /agents/ap2-status', 'none', 404, { query: 'slug=of-no-agent' }),
  one('POST /agents/a2a', 'service', at.agent, { own: 201, body: collaboration }),
  one('POST /agents/a2a/respond', 'service', targets.collaboration, {
    own: 201,
    ...naming('requestId', { status: 'ACCEPTED' }),
    settable: ['status'],
  }),
  one('GET /agents/a2a/{agentId}', 'service', at.agent),
  all('GET /agents/my-purchases', 'service'),
  one('GET /agents/{id}/payment-history', 'service', at.agent),
  one('GET /agents/{id}/a2a-transactions', 'service', at.agent),
  one('GET /agents/{id}/network', 'none', at.privateAgent, READ),
  one('GET /agents/{id}/reviews', 'none', at.privateAgent, READ),
  one('POST /agents/{id}/reviews', 'service', targets.ratedAgent, { own: 201, body: rating }),
  one('POST /agents/{id}/reviews/{reviewId}/reply', 'service', targets.review, {
    own: 201,
    ...sending({ reply: 'Thank you' }),
  }),
  // It does not end: its own tests ask for it.
]
