import { empty } from '../bodies.ts'
import { all, byAdmin, type Row } from '../row.ts'
import * as at from '../targets.ts'

/** Models and prices: the same for all callers. */
export const catalog: Row[] = [
  all('GET /v1/models', 'none'),
  all('GET /v1/routing/models', 'none'),
  all('GET /v1/models/{id}', 'none', 404, { target: at.nobodys }),
  all('GET /v1/models/{namespace}/{id}', 'none', 404, { target: at.nobodys }),
  byAdmin('POST /v1/routing/admin/sync-models', 201, empty),
]
