import { sending } from './bodies.ts'
import * as its from './market-targets.ts'
import { all, one, type Row } from './row.ts'
import * as at from './targets.ts'

/** Of an agent, as its owner sets them. */
export const limits: Row[] = [
  one('GET /agents/{id}/budget', 'service', at.agent),
  one('PATCH /agents/{id}/budget', 'service', at.agent, sending({ monthlyLimit: 100 })),
  one('GET /agents/{id}/autonomy-policy', 'service', at.agent),
  one('PUT /agents/{id}/autonomy-policy', 'service', at.agent, sending({ perDealLimit: 100 })),
]

const offering = { body: ([, agentId]: string[]) => ({ agentId, price: 1 }) }

export const market: Row[] = [
  all('POST /vault', 'agent', 201, sending({ any: 'content' })),
  all('GET /vault', 'agent'),
  // The key of an agent does not see what its owner uploaded.
  one('GET /vault/{id}', 'agent', its.artifact, { agent: 403 }),
  one('GET /vault/{id}/content', 'agent', its.artifact, { agent: 403 }),
  one('DELETE /vault/{id}', 'agent', its.artifact, { own: 204, agent: 403 }),
  all('POST /market/needs', 'agent', 201, sending({ title: 'Notes', budget: 1 })),
  all('GET /market/needs', 'none'),
  one('GET /market/needs/{id}', 'none', its.need, { others: 200 }),
  // The key of an agent does not manage the needs of its owner.
  one('POST /market/needs/{id}/close', 'agent', its.need, { agent: 403 }),
  one('POST /market/needs/{id}/offers', 'agent', its.foreignNeed, { own: 201, ...offering }),
  one('GET /market/needs/{id}/offers', 'agent', its.need, { others: 200 }),
  one('POST /market/offers/{id}/accept', 'agent', its.received, { own: 201, agent: 403 }),
  one('POST /market/offers/{id}/withdraw', 'agent', its.made),
]
