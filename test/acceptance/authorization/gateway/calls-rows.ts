import { sending } from '../bodies.ts'
import { all, byAdmin, type Row } from '../row.ts'

export const calls: Row[] = [
  all(
    'POST /v1/chat/completions',
    'routing',
    201,
    sending({ messages: [{ role: 'user', content: 'Hello' }] }),
  ),
  all('GET /v1/routing/health', 'none'),
  all('GET /v1/routing/model-status', 'none'),
  byAdmin('GET /v1/routing/admin/model-health'),
  byAdmin('POST /v1/routing/admin/probe-models', 201),
]
