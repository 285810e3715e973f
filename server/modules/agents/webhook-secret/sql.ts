import { sql } from '#platform/kernel/sql'

export interface WebhookSecretRow {
  sealed: string
  previousSealed: string | null
  previousUntil: Date | null
}

export const secretOf = (agentId: string) => sql<WebhookSecretRow>`
  select sealed, previous_sealed, previous_until from agents_webhook_secret where agent_id = ${agentId}`

/** No row if the agent has a secret that somebody was shown. */
export const insertSecret = (agentId: string, sealed: string, madeBy: string, now: Date) => sql`
  insert into agents_webhook_secret (agent_id, sealed, made_by, created_at) values (${agentId}, ${sealed}, ${madeBy}, ${now})
  on conflict (agent_id) do update set sealed = excluded.sealed, made_by = excluded.made_by, is_shown = true
    where not agents_webhook_secret.is_shown`

export const replaceSecret = (agentId: string, sealed: string, madeBy: string, previousUntil: Date) => sql`
  update agents_webhook_secret set previous_sealed = sealed, sealed = ${sealed}, previous_until = ${previousUntil},
    made_by = ${madeBy}
  where agent_id = ${agentId}`

/** Ends the secret before, and that of now too unless `knownTo` (null for nobody) was shown it: `sealed`, which nobody was shown, takes its place. */
export const replaceKnown = (agentId: string, sealed: string, knownTo: string | null) => sql`
  update agents_webhook_secret set previous_sealed = null, previous_until = null,
    sealed = case when made_by = ${knownTo} then sealed else ${sealed} end,
    is_shown = is_shown and coalesce(made_by = ${knownTo}, false)
  where agent_id = ${agentId}`

export const deleteSecrets = (agentIds: readonly string[]) => sql`
  delete from agents_webhook_secret where agent_id = any(${agentIds}::uuid[])`
