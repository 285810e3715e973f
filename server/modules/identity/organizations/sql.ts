import { part, sql, type SqlPart } from '#platform/kernel/sql'

export const ORGANIZATION_ROLES = ['OWNER', 'ADMIN', 'MEMBER'] as const
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number]

export interface Organization {
  id: string
  /** Null once it is closed. */
  slug: string | null
  name: string
  createdAt: Date
  updatedAt: Date
  closedAt: Date | null
}

/** An organization that is not closed. */
export interface OpenOrganization extends Organization {
  slug: string
}

/** An organization with the role of one of its members. */
export interface OwnOrganization extends OpenOrganization {
  role: OrganizationRole
}

export interface Member {
  userId: string
  /** Null for an invited person, who has not agreed to share the name. */
  displayName: string | null
  /** Null for an invited person, unless the invitation named the person by it. */
  username: string | null
  role: OrganizationRole
  status: 'ACTIVE' | 'INVITED'
  /** The role that was offered to the member. */
  pendingRole: OrganizationRole | null
  joinedAt: Date | null
}

interface Window {
  limit: number
  offset: number
}

const ORGANIZATION = part`o.id, o.slug, o.name, o.created_at, o.updated_at,
  o.closed_at`

/** No row when the slug is taken. */
export const insertOrganization = (
  id: string,
  slug: string,
  name: string,
  now: Date,
) => sql<OpenOrganization>`
  insert into identity_organization as o (id, slug, name, created_at, updated_at)
  values (${id}, ${slug}, ${name}, ${now}, ${now}) on conflict do nothing returning ${ORGANIZATION}`

export const organizationBySlug = (slug: string) =>
  sql<OpenOrganization>`select ${ORGANIZATION} from identity_organization o where o.slug = ${slug}`

export const organizationById = (id: string) =>
  sql<Organization>`select ${ORGANIZATION} from identity_organization o where o.id = ${id}`

export const lockOrganization = (id: string) =>
  sql<Organization>`select ${ORGANIZATION} from identity_organization o where o.id = ${id} for no key update`

export const takenOrganizationSlugs = (slugs: readonly string[]) =>
  sql<{ slug: string }>`select slug from identity_organization where slug = any(${slugs})`

export const setOrganizationName = (id: string, name: string, now: Date) => sql`
  update identity_organization set name = ${name}, updated_at = ${now} where id = ${id}`

export const closeOrganization = (id: string, now: Date) => sql`
  update identity_organization set slug = null, name = '', closed_at = ${now}, updated_at = ${now} where id = ${id}`

export const organizationsOf = (accountId: string, page: Window) => sql<OwnOrganization>`
  select ${ORGANIZATION}, m.role from identity_member m join identity_organization o on o.id = m.organization_id
  where m.account_id = ${accountId} order by o.id desc limit ${page.limit} offset ${page.offset}`

export const countOrganizationsOf = (accountId: string, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from identity_member where account_id = ${accountId}
  limit ${atMost}) capped`

export const countOwned = (accountId: string) => sql<{ owned: number }>`
  select count(*)::int as owned from identity_member where account_id = ${accountId} and role = 'OWNER'`

export const roleOf = (organizationId: string, accountId: string) => sql<{ role: OrganizationRole }>`
  select role from identity_member where organization_id = ${organizationId} and account_id = ${accountId}`

/** Also locks the role: a transaction that takes it away waits. */
export const lockRoleForShare = (organizationId: string, accountId: string) => sql<{
  role: OrganizationRole
}>`
  select role from identity_member where organization_id = ${organizationId} and account_id = ${accountId} for share`

export const runBy = (accountId: string) => sql<{ id: string }>`
  select organization_id as id from identity_member where account_id = ${accountId} and role in ('OWNER', 'ADMIN')`

export const staffOf = (ids: readonly string[]) => sql<{ organizationId: string; accountId: string }>`
  select organization_id, account_id from identity_member
  where organization_id = any(${ids}::uuid[]) and role in ('OWNER', 'ADMIN')`

/** The same as JSON, for a statement of another module; `ids` is a list that may hold null. */
export const staffOfOrganizations = (ids: SqlPart) => part`(
  select jsonb_agg(jsonb_build_object('organizationId', organization_id, 'accountId', account_id)) from identity_member
  where organization_id in (${ids}) and role in ('OWNER', 'ADMIN'))`

/** A row while a person who is not suspended runs the organization. */
export const activeStaffOf = (id: string) => sql<{ accountId: string }>`
  select m.account_id from identity_member m join identity_account a on a.id = m.account_id
  where m.organization_id = ${id} and m.role in ('OWNER', 'ADMIN') and a.status = 'ACTIVE' limit 1`

export const firstOwner = (id: string) => sql<{ accountId: string }>`
  select account_id from identity_member where organization_id = ${id} and role = 'OWNER'
  order by joined_at, account_id limit 1`

/** Whether an invitation `i` is valid: the person who made it may still give the role. */
export const IS_VALID = part`exists (select from identity_member m join identity_account a on a.id = m.account_id
  where m.organization_id = i.organization_id and m.account_id = i.invited_by and a.status = 'ACTIVE'
    and (m.role = 'OWNER' or (m.role = 'ADMIN' and i.role <> 'OWNER')))`

// The members and invited persons of an organization.
const people = (organizationId: string) => part`(
  select m.account_id as user_id, a.display_name, a.username, m.role, 'ACTIVE' as status,
    i.role as pending_role, m.joined_at, m.joined_at as since
  from identity_member m join identity_account a on a.id = m.account_id left join identity_invitation i
    on i.organization_id = m.organization_id and i.account_id = m.account_id and ${IS_VALID}
  where m.organization_id = ${organizationId}
  union all
  select i.account_id, null, case when i.by_username then a.username end, i.role, 'INVITED', null, null, i.created_at
  from identity_invitation i join identity_account a on a.id = i.account_id
  where i.organization_id = ${organizationId} and ${IS_VALID} and not exists (select from identity_member m
    where m.organization_id = i.organization_id and m.account_id = i.account_id))`

const MEMBER = part`user_id, display_name, username, role, status, pending_role, joined_at`

/** Members in the order in which they joined, then invited persons. */
export const members = (organizationId: string, page: Window) => sql<Member>`
  select ${MEMBER} from ${people(organizationId)} person
  order by status, since, user_id limit ${page.limit} offset ${page.offset}`

export const countMembers = (organizationId: string, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from ${people(organizationId)} person limit ${atMost}) capped`

export const memberOf = (organizationId: string, accountId: string) => sql<Member>`
  select ${MEMBER} from ${people(organizationId)} person where user_id = ${accountId}`

export const insertMember = (
  organizationId: string,
  accountId: string,
  role: OrganizationRole,
  now: Date,
) => sql`
  insert into identity_member (organization_id, account_id, role, joined_at, updated_at)
  values (${organizationId}, ${accountId}, ${role}, ${now}, ${now})`

export const setMemberRole = (
  organizationId: string,
  accountId: string,
  role: OrganizationRole,
  now: Date,
) => sql`
  update identity_member set role = ${role}, updated_at = ${now}
  where organization_id = ${organizationId} and account_id = ${accountId}`

export const deleteMember = (organizationId: string, accountId: string) => sql`
  delete from identity_member where organization_id = ${organizationId} and account_id = ${accountId}`

/** Locks the organizations of a person in the order of their ids. */
export const lockOrganizationsOf = (accountId: string) => sql<{ id: string }>`
  select o.id from identity_organization o
  where o.id in (select organization_id from identity_member where account_id = ${accountId})
  order by o.id for no key update`

/** The organizations of which an account is the only member. */
export const organizationsOnlyOf = (accountId: string) => sql<{ id: string }>`
  select m.organization_id as id from identity_member m where m.account_id = ${accountId} and not exists (
    select from identity_member other
    where other.organization_id = m.organization_id and other.account_id <> m.account_id)
  order by m.organization_id`

/** The successor of an OWNER: another OWNER, else the longest ADMIN, else a MEMBER; suspended accounts last. */
export const successor = (organizationId: string, leaver: string) => sql<{
  accountId: string
  role: OrganizationRole
}>`
  select m.account_id, m.role from identity_member m join identity_account a on a.id = m.account_id
  where m.organization_id = ${organizationId} and m.account_id <> ${leaver}
  order by m.role = 'OWNER' desc, a.status = 'ACTIVE' desc, m.role = 'ADMIN' desc, m.joined_at, m.account_id limit 1`

export const serviceAccountsOfMember = (organizationId: string, accountId: string) => sql<{ id: string }>`
  select id from identity_service_account
  where organization_id = ${organizationId} and account_id = ${accountId} and status = 'ACTIVE' order by id`
