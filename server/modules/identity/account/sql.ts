import { tidyName } from '#platform/http/display-name'
import { part, sql } from '#platform/kernel/sql'
import type { Account, Role, UserType } from './account.ts'

export const ACCOUNT = part`id, coalesce(email, '') as email, display_name, username,
  user_type, role, plan, status,
  created_at`

/** No row when the email or the username is taken. */
export const insertAccount = (account: {
  id: string
  email: string | null
  username: string | null
  displayName: string
  passwordHash: string | null
  userType: UserType
  role: Role
  createdAt: Date
}) => sql<Account>`
  insert into identity_account (id, email, username, display_name, password_hash, user_type, role, created_at,
    updated_at, admin_since)
  values (${account.id}, ${account.email}, ${account.username}, ${tidyName(account.displayName)},
    ${account.passwordHash},
    ${account.userType},
    ${account.role}, ${account.createdAt}, ${account.createdAt},
    case when ${account.role} = 'ADMIN' then ${account.createdAt}::timestamptz end)
  on conflict do nothing returning ${ACCOUNT}`

export const accountById = (id: string) =>
  sql<Account>`select ${ACCOUNT} from identity_account where id = ${id}`
export const accountsById = (ids: readonly string[]) =>
  sql<Account>`select ${ACCOUNT} from identity_account where id = any(${ids}::uuid[])`
export const accountByUsername = (username: string) =>
  sql<Account>`select ${ACCOUNT} from identity_account where username = ${username}`
export const accountByEmail = (email: string) =>
  sql<Account>`select ${ACCOUNT} from identity_account where lower(email) = lower(${email})`

export const setPlan = (id: string, plan: Account['plan'], now: Date) =>
  sql`update identity_account set plan = ${plan}, updated_at = ${now} where id = ${id}`

export const takenUsernames = (usernames: readonly string[]) => sql<{ username: string }>`
  select username from identity_account where username = any(${usernames})`

export const anyAdmin = () =>
  sql<{ id: string }>`select id from identity_account where role = 'ADMIN' and status <> 'DELETED' limit 1`

/** The first admin is made once, by whichever instance is first. */
export const lockFirstAdmin = () => sql`select pg_advisory_xact_lock(727010)`

export const makeAdmin = (id: string, passwordHash: string, now: Date) => sql`
  update identity_account set role = 'ADMIN', password_hash = ${passwordHash}, updated_at = ${now},
    admin_since = ${now}, promoted_by = null where id = ${id}`

export interface PasswordHolder extends Account {
  passwordHash: string | null
}

export const passwordHolder = (email: string) => sql<PasswordHolder>`
  select ${ACCOUNT}, password_hash from identity_account where lower(email) = lower(${email})`

export const passwordHolderById = (id: string) => sql<PasswordHolder>`
  select ${ACCOUNT}, password_hash from identity_account where id = ${id}`

/** Until the end of the transaction nobody changes the password, nor deletes the account. */
export const lockPasswordHolder = (id: string) => sql<PasswordHolder>`
  select ${ACCOUNT}, password_hash from identity_account where id = ${id} for no key update`

export const setPassword = (id: string, passwordHash: string, now: Date) => sql`
  update identity_account set password_hash = ${passwordHash}, updated_at = ${now} where id = ${id}`

export const setDisplayName = (id: string, displayName: string, now: Date) => sql<Account>`
  update identity_account set display_name = ${tidyName(displayName)}, updated_at = ${now}
  where id = ${id} and status <> 'DELETED' returning ${ACCOUNT}`

export const lockAccount = (id: string) =>
  sql<Account>`select ${ACCOUNT} from identity_account where id = ${id} for no key update`

/** Waits for deletions that are under way, and keeps further ones waiting; by id. */
export const lockAccountsForShare = (ids: readonly string[], others = part`select null::uuid`) => sql<{
  id: string
  status: string
}>`
  select id, status from identity_account where id in (select unnest(${ids}::uuid[]) union ${others}) order by id for share`

/** `promotedBy`: the admin who alone made the account an admin; null where two decided. */
export const setRole = (
  id: string,
  role: Role,
  { now, promotedBy }: { now: Date; promotedBy: string | null },
) => sql<Account>`
  update identity_account set role = ${role}, updated_at = ${now}, promoted_by = ${promotedBy}::uuid,
    admin_since = case when ${role} = 'ADMIN' then ${now}::timestamptz end,
    admin_removed_at = case when ${role} = 'USER' then ${now}::timestamptz else admin_removed_at end where id = ${id} returning ${ACCOUNT}`

export const setStatus = (id: string, status: 'ACTIVE' | 'SUSPENDED', now: Date) => sql<Account>`
  update identity_account set status = ${status}, updated_at = ${now},
    admin_removed_at = case when ${status} = 'SUSPENDED' and role = 'ADMIN' then ${now}::timestamptz else admin_removed_at end
  where id = ${id} returning ${ACCOUNT}`

export const otherAdmins = (id: string) => sql<{ count: number }>`
  select count(*)::int as count from identity_account where role = 'ADMIN' and status = 'ACTIVE' and id <> ${id}`
