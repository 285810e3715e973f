import { sql } from '#platform/kernel/sql'

export interface WebhookSecretRow {
  sealed: string
  previousSealed: string | null
  previousUntil: Date | null
}

export const secretOf = (agentId: string) => sql<WebhookSecretRow>`
  select sealed, previous_sealed, previous_until from agents_webhook_secret where agent_id = ${agentId}`

/** No row if the agent has a secret. */
export const insertSecret = (agentId: string, sealed: string, now: Date) => sql`
  insert into agents_webhook_secret (agent_id, sealed, created_at) values (${agentId}, ${sealed}, ${now})
  on conflict (agent_id) do nothing`

export const replaceSecret = (agentId: string, sealed: string, previousUntil: Date) => sql`
  update agents_webhook_secret set previous_sealed = sealed, sealed = ${sealed}, previous_until = ${previousUntil}
  where agent_id = ${agentId}`

export const deleteSecrets = (agentIds: readonly string[]) => sql`
  delete from agents_webhook_secret where agent_id = any(${agentIds}::uuid[])`
