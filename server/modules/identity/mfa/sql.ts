import { part, sql } from '#platform/kernel/sql'

export interface MfaRow {
  secret: string
  backupSalt: Buffer
  enabled: boolean
}
export type StepPurpose = 'login' | 'step-up' | 'disable' | 'approval'

export const mfaOf = (accountId: string) => sql<MfaRow>`
  select secret, backup_salt, enabled_at is not null as enabled
  from identity_mfa where account_id = ${accountId}`

/** A set-up begun again takes the place of the one before; no row changes when the factor is enabled. */
export const putSetup = (accountId: string, setup: { secret: string; backupSalt: Buffer; real: Date }) => sql`
  insert into identity_mfa as m (account_id, secret, backup_salt, created_at)
  values (${accountId}, ${setup.secret}, ${setup.backupSalt}, ${setup.real})
  on conflict (account_id) do update
    set secret = excluded.secret, backup_salt = excluded.backup_salt, created_at = excluded.created_at
  where m.enabled_at is null`

export const enableMfa = (accountId: string, secret: string, real: Date) => sql`
  update identity_mfa set enabled_at = ${real}
  where account_id = ${accountId} and secret = ${secret} and enabled_at is null`

/** Of any number of callers with one step, one changes a row. */
export const takeStep = (accountId: string, purpose: StepPurpose, step: number) => sql`
  insert into identity_mfa_step as s (account_id, purpose, step) values (${accountId}, ${purpose}, ${step})
  on conflict (account_id, purpose) do update set step = excluded.step where s.step < excluded.step`

export const insertBackupCodes = (accountId: string, hashes: Buffer[]) => sql`
  insert into identity_backup_code (account_id, hash) select ${accountId}, unnest(${hashes}::bytea[])`

export const takeBackupCode = (accountId: string, hash: Buffer, real: Date) => sql`
  update identity_backup_code set used_at = ${real}
  where account_id = ${accountId} and hash = ${hash} and used_at is null`

export const mfaStatus = (accountId: string) => sql<{ enabled: boolean; backupCodesRemaining: number }>`
  select exists (select from identity_mfa where account_id = ${accountId} and enabled_at is not null) as enabled,
    (select count(*)::int from identity_backup_code where account_id = ${accountId} and used_at is null)
      as backup_codes_remaining`

/** Whether there was one. */
export const deleteMfa = (accountId: string) => sql`
  with codes as (delete from identity_backup_code where account_id = ${accountId}),
    steps as (delete from identity_mfa_step where account_id = ${accountId})
  delete from identity_mfa where account_id = ${accountId}`

const proof = (sessionId: string) => part`
  select case when is_proof then greatest(created_at, proved_at) else proved_at end as at
  from identity_session where id = ${sessionId} and ended_at is null`

/** When its owner was last proved; null where neither the sign-in nor a step-up did. No row once it has ended. */
export const provedAt = (sessionId: string) => sql<{ at: Date | null }>`${proof(sessionId)}`

/** The same, and the session stays open until the commit. */
export const lockProvedAt = (sessionId: string) => sql<{ at: Date | null }>`${proof(sessionId)} for share`

export const setProved = (sessionId: string, real: Date) => sql`
  update identity_session set proved_at = ${real} where id = ${sessionId}`
