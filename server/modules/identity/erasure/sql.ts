import { part, sql, type SqlPart, type Statement } from '#platform/kernel/sql'

/** Erases credentials and identifying fields of an account; refresh tokens are deleted with their sessions. */
export const eraseAccount = (id: string, now: Date): Statement<unknown>[] => [
  sql`delete from identity_session where account_id = ${id}`,
  sql`delete from identity_link where account_id = ${id}`,
  sql`delete from identity_external where account_id = ${id}`,
  sql`delete from identity_backup_code where account_id = ${id}`,
  sql`delete from identity_mfa_step where account_id = ${id}`,
  sql`delete from identity_mfa where account_id = ${id}`,
  sql`update identity_service_account set name = '', description = '', status = 'REVOKED',
    revoked_at = coalesce(revoked_at, ${now}::timestamptz), updated_at = ${now}
    where account_id = ${id}`,
  sql`update identity_account set email = null, email_verified_at = null, email_owned_at = null, username = null, password_hash = null,
    display_name = '', role = 'USER',
      status = 'DELETED', deleted_at = coalesce(deleted_at, ${now}::timestamptz), updated_at = ${now}
    where id = ${id}`,
]

export const deletedAmong = (ids: readonly string[]) =>
  sql<{ id: string }>`select id from identity_account where id = any(${ids}::uuid[]) and status = 'DELETED'
    union all select id from identity_organization where id = any(${ids}::uuid[]) and closed_at is not null`

/** Whether the organization is closed, or where there is none the account deleted: for a statement of another module. */
export const isDeletedParty = (
  accountId: SqlPart,
  organizationId: SqlPart,
) => part`case when ${organizationId} is null
  then exists (select from identity_account where id = ${accountId} and status = 'DELETED')
  else exists (select from identity_organization where id = ${organizationId} and closed_at is not null) end`
