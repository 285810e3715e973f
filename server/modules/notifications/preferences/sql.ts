import { json, sql } from '#platform/kernel/sql'
import type { Kind } from '../events/kinds.ts'

export const CHANNELS = ['email', 'inApp', 'webhook'] as const
export type Channel = (typeof CHANNELS)[number]

export interface Choice {
  kind: Kind
  channel: Channel
  enabled: boolean
}

export const choicesOf = (accountIds: readonly string[]) => sql<Choice & { accountId: string }>`
  select account_id, kind, channel, enabled from notifications_choice where account_id = any(${accountIds}::uuid[])`

/** Nothing for an account that was deleted. */
export const setChoices = (accountId: string, choices: readonly Choice[], now: Date) => sql`
  insert into notifications_choice (account_id, kind, channel, enabled, updated_at)
  select a.id, c.kind, c.channel, c.enabled, ${now}::timestamptz
  from jsonb_to_recordset(${json(choices)}::jsonb) as c (kind text, channel text, enabled boolean), identity_account a
  where a.id = ${accountId} and a.status <> 'DELETED'
  on conflict (account_id, kind, channel) do update set enabled = excluded.enabled, updated_at = excluded.updated_at`

export const deleteChoices = (accountId: string) => sql`
  delete from notifications_choice where account_id = ${accountId}`
