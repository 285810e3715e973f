import { sql } from '#platform/kernel/sql'
import { IS_VALID, type OrganizationRole } from './sql.ts'

export interface Invitation {
  slug: string
  name: string
  role: OrganizationRole
  invitedAt: Date
}

/** Inserts an invitation or replaces the present one. `isNew`: there was none. */
export const putInvitation = (invitation: {
  organizationId: string
  accountId: string
  role: OrganizationRole
  invitedBy: string
  byUsername: boolean
  now: Date
}) => sql<{ isNew: boolean }>`
  insert into identity_invitation as i (organization_id, account_id, role, invited_by, by_username, created_at)
  values (${invitation.organizationId}, ${invitation.accountId}, ${invitation.role}, ${invitation.invitedBy},
    ${invitation.byUsername}, ${invitation.now})
  on conflict (organization_id, account_id) do update
    set role = excluded.role, invited_by = excluded.invited_by, by_username = excluded.by_username
  returning xmax = 0 as is_new`

export const invitationFor = (organizationId: string, accountId: string) => sql<{ role: OrganizationRole }>`
  select i.role from identity_invitation i
  where i.organization_id = ${organizationId} and i.account_id = ${accountId} and ${IS_VALID}`

export const invitationsOf = (accountId: string, page: { limit: number; offset: number }) => sql<Invitation>`
  select o.slug, o.name, i.role, i.created_at as invited_at
  from identity_invitation i join identity_organization o on o.id = i.organization_id
  where i.account_id = ${accountId} and ${IS_VALID}
  order by i.created_at desc, o.id desc limit ${page.limit} offset ${page.offset}`

export const countInvitationsOf = (accountId: string, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from identity_invitation i where i.account_id = ${accountId}
    and ${IS_VALID} limit ${atMost}) capped`

export const deleteInvitation = (organizationId: string, accountId: string) => sql`
  delete from identity_invitation where organization_id = ${organizationId} and account_id = ${accountId}`

/** Deletes the invitations of an organization whose inviter may no longer give the role. */
export const deleteEndedInvitations = (organizationId: string) => sql<{ accountId: string }>`
  delete from identity_invitation i where i.organization_id = ${organizationId} and not ${IS_VALID} returning i.account_id`

/** Deletes the invitations to an account and those that it made. */
export const deleteInvitationsAbout = (accountId: string) => sql`
  delete from identity_invitation where account_id = ${accountId} or invited_by = ${accountId}`

export const deleteInvitationsTo = (organizationId: string) => sql`
  delete from identity_invitation where organization_id = ${organizationId}`
