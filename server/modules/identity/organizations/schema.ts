import { Type, type Static } from '#platform/http/type'
import { Id, Moment, named, Nullable } from '#platform/http/schema'
import { SLUG_MAX, SLUG_PATTERN } from '#platform/kernel/slug'
import type { Invitation } from './invitation-sql.ts'
import { ORGANIZATION_ROLES, type Member, type OwnOrganization } from './sql.ts'

export const Slug = Type.String({
  pattern: SLUG_PATTERN,
  minLength: 3,
  maxLength: SLUG_MAX,
  examples: ['analytical-engines'],
  description: 'Unique name of the organization in addresses',
})
export const RoleName = named(
  'OrganizationRole',
  Type.Enum([...ORGANIZATION_ROLES], {
    description: 'OWNER and ADMIN manage members and spend the money of the organization',
  }),
)

export const OrganizationRecord = named(
  'Organization',
  Type.Object({
    id: { ...Id, description: 'Id of the organization (UUIDv7)' },
    slug: Slug,
    name: Type.String({ maxLength: 200, description: 'Display name of the organization' }),
    role: Type.Enum([...ORGANIZATION_ROLES], { description: "The caller's" }),
    createdAt: Moment,
    updatedAt: Moment,
  }),
)

export const organizationView = ({
  id,
  slug,
  name,
  role,
  createdAt,
  updatedAt,
}: OwnOrganization): Static<typeof OrganizationRecord> => ({
  id,
  slug,
  name,
  role,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

export const MemberRecord = named(
  'OrganizationMember',
  Type.Object({
    userId: { ...Id, description: 'Id of the account' },
    displayName: Nullable(
      Type.String({ maxLength: 100, description: 'Null until an invited person accepts' }),
    ),
    username: Nullable(
      Type.String({
        pattern: '^[a-z0-9_]{3,20}$',
        description: 'Null until an invited person accepts, unless the invitation named the person by it',
      }),
    ),
    role: { ...RoleName, description: 'Role that the member has, or is invited to' },
    status: Type.Enum(['ACTIVE', 'INVITED'], { description: 'INVITED until the person accepts' }),
    pendingRole: {
      ...Nullable(
        Type.Enum([...ORGANIZATION_ROLES], { description: 'The role that was offered to the member' }),
      ),
      description: 'A higher role that was offered and not accepted; null without an offer',
    },
    joinedAt: Nullable({ ...Moment, description: 'When the person accepted; null before' }),
  }),
)

export const memberView = ({ joinedAt, ...rest }: Member): Static<typeof MemberRecord> => ({
  ...rest,
  joinedAt: joinedAt?.toISOString() ?? null,
})

export const InvitationRecord = named(
  'OrganizationInvitation',
  Type.Object({
    slug: Slug,
    name: Type.String({ maxLength: 200, description: 'Display name of the organization' }),
    role: { ...RoleName, description: 'Role that is offered' },
    invitedAt: { ...Moment, description: 'When the invitation was sent' },
  }),
)

export const invitationView = ({ invitedAt, ...rest }: Invitation): Static<typeof InvitationRecord> => ({
  ...rest,
  invitedAt: invitedAt.toISOString(),
})
