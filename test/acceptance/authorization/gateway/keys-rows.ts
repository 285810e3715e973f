import { sending } from '../bodies.ts'
import { call } from '../fixtures.ts'
import { all, one, type Row } from '../row.ts'
import type { Prepare } from '../targets.ts'

/** Narrow, so that to widen it is a change. */
export const routingKey: Prepare = async ({ service }, { token }) => {
  const body = { limits: { rpm: 1000 } }
  const { id } = await call(service, 'POST /v1/auth/keys', { token, body })
  // An account may have 100 of them, and every caller asks for one.
  await service.services.db.pool.query(
    `update gateway_key set status = 'REVOKED', revoked_at = now() where id in (
      select id from gateway_key where account_id = (select account_id from gateway_key where id = $1)
        and status = 'ACTIVE' and id <> $1 and rpm is not null)`,
    [id],
  )
  return { ids: [id] }
}

export const routingKeys: Row[] = [
  all('POST /v1/auth/keys', 'jwt', 201, sending({ limits: { rpm: 5 } })),
  all('POST /routing/keys', 'jwt', 201, sending({ limits: { rpm: 5 } })),
  all('GET /v1/auth/keys', 'jwt'),
  all('GET /v1/keys', 'jwt'),
  all('GET /v1/routing/keys', 'jwt'),
  one('PATCH /v1/auth/keys/{id}', 'jwt', routingKey, sending({ limits: { rpm: 10 } })),
  one('DELETE /v1/auth/keys/{id}', 'jwt', routingKey),
  all('GET /v1/key', 'routing'),
  all('GET /v1/routing/config', 'jwt'),
  all('POST /v1/routing/config', 'jwt', 201, sending({ sticky: true })),
]
