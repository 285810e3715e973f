import { sending } from '../bodies.ts'
import { all, type Row } from '../row.ts'

/** Each account sees its own requests, and nothing of those of another: server/modules/gateway/analytics/analytics.test.ts. */
export const analytics: Row[] = [
  all('GET /v1/usage', 'jwt'),
  all('GET /v1/analytics/summary', 'jwt'),
  all('GET /v1/analytics/by-model', 'jwt'),
  all('GET /v1/analytics/by-tier', 'jwt'),
  all('GET /v1/analytics/routing-log', 'jwt', 200, { query: 'limit=5' }),
  all('GET /v1/analytics/savings', 'jwt'),
  all('GET /v1/auth/keys/analytics/summary', 'jwt'),
  all('GET /v1/routing/outcomes', 'jwt'),
  all('POST /v1/routing/outcomes', 'routing', 404, sending({ generationId: 'gen-unknown', rating: 'good' })),
]
