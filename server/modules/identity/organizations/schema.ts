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
})
export const RoleName = named('OrganizationRole', Type.Enum([...ORGANIZATION_ROLES]))

export const OrganizationRecord = named(
  'Organization',
  Type.Object({
    id: Id,
    slug: Slug,
    name: Type.String(),
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
    userId: Id,
    displayName: Nullable(Type.String({ description: 'Null until an invited person accepts' })),
    username: Nullable(
      Type.String({
        description: 'Null until an invited person accepts, unless the invitation named the person by it',
      }),
    ),
    role: RoleName,
    status: Type.Enum(['ACTIVE', 'INVITED']),
    pendingRole: Nullable(
      Type.Enum([...ORGANIZATION_ROLES], { description: 'The role that was offered to the member' }),
    ),
    joinedAt: Nullable(Moment),
  }),
)

export const memberView = ({ joinedAt, ...rest }: Member): Static<typeof MemberRecord> => ({
  ...rest,
  joinedAt: joinedAt?.toISOString() ?? null,
})

export const InvitationRecord = named(
  'OrganizationInvitation',
  Type.Object({ slug: Slug, name: Type.String(), role: RoleName, invitedAt: Moment }),
)

export const invitationView = ({ invitedAt, ...rest }: Invitation): Static<typeof InvitationRecord> => ({
  ...rest,
  invitedAt: invitedAt.toISOString(),
})
