import Anthropic from '@anthropic-ai/sdk'
import { sql } from '#platform/kernel/sql'
import type { GatewayTrial } from './gateway-trial.ts'

/** The unmodified client of Anthropic, without its own retries. */
export const anthropicOf = ({ service, key }: GatewayTrial): Anthropic =>
  new Anthropic({ baseURL: service.baseUrl, apiKey: key, maxRetries: 0 })

/** A request without a client. */
export const postTo = (
  { service, key }: Pick<GatewayTrial, 'service' | 'key'>,
  path: string,
  body: object,
): Promise<Response> =>
  fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The end users of the recorded requests of an account. */
export async function endUsersOf({ service, owner }: GatewayTrial): Promise<(string | null)[]> {
  const rows = await service.services.db.rows(sql<{ endUser: string | null }>`
    select end_user from gateway_usage where account_id = ${owner.id} order by at, id`)
  return rows.map(({ endUser }) => endUser)
}
