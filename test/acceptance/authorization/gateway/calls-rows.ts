import { sending } from '../bodies.ts'
import { all, byAdmin, PROBES, type Row } from '../row.ts'

/** By their contract these operations take every field, and pass on to the provider those that they do not know. */
export const passedOn = { settable: Object.keys(PROBES) }

export const calls: Row[] = [
  all('POST /v1/chat/completions', 'routing', 201, {
    ...sending({ messages: [{ role: 'user', content: 'Hello' }] }),
    ...passedOn,
  }),
  all('GET /v1/routing/health', 'none'),
  all('GET /v1/routing/model-status', 'none'),
  byAdmin('GET /v1/routing/admin/model-health'),
  byAdmin('POST /v1/routing/admin/probe-models', 201),
]
