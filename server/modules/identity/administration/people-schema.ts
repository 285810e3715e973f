import { Type } from '#platform/http/type'
import { Moment, named, Nullable, PageQuery } from '#platform/http/schema'
import { Profile, RoleName, UserTypeName } from '../schema.ts'

export const PeopleQuery = Type.Object({
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Words of the name, the beginning of the email address or username, or an id',
    }),
  ),
  ids: Type.Optional(
    Type.String({
      maxLength: 4000,
      description: 'Comma-separated, at most 100: these accounts, deleted ones too',
    }),
  ),
  status: Type.Optional(
    Type.Enum(['ACTIVE', 'SUSPENDED', 'DELETED'], { description: 'All but DELETED by default' }),
  ),
  role: Type.Optional({ ...RoleName, description: 'Only accounts in this role' }),
  userType: Type.Optional({ ...UserTypeName, description: 'Only people, or only agents' }),
  ...PageQuery,
})

export const Person = named(
  'AccountDetails',
  Type.Object({
    ...Profile.properties,
    emailVerified: Type.Boolean({ examples: [true], description: 'Whether the address was proven' }),
    mfaEnabled: Type.Boolean({ examples: [true], description: 'Whether signing in needs a second factor' }),
    sessions: Type.Integer({ description: 'Open sessions', examples: [2], minimum: 0 }),
    lastSeenAt: Nullable({ ...Moment, description: 'Last use of an open session; null without one' }),
    apiKeys: Type.Integer({
      description: 'Active service accounts, with those of agents',
      examples: [1],
      minimum: 0,
    }),
  }),
)
