import { Type, type Static } from '#platform/http/type'
import { SCOPES } from '#platform/http/principal'
import { formatMoney } from '#platform/kernel/money'
import { Id, Moment, Money, named, Nullable } from '#platform/http/schema'
import type { Account } from './account/account.ts'
import { APPROVAL_STATUSES } from './approvals/approval-machine.ts'
import type { ServiceAccount } from './credentials/key-sql.ts'

export const Email = Type.String({ format: 'email', maxLength: 254, examples: ['ada@example.com'] })
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 256,
  description: 'At least 8 characters',
  examples: ['correct horse battery'],
})
export const RevokeApiKeys = Type.Optional(
  Type.Boolean({
    description:
      'True: the sk_ keys of the whole account and its rk_ keys are revoked too; keys bound to one agent or organization stay valid',
  }),
)
/** A password to compare. Any text is accepted, so that a refusal says only that it is wrong. */
export const Password = Type.String({ maxLength: 1024, examples: ['correct horse battery'] })
export const DisplayName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  format: 'display-name',
  examples: ['Ada'],
})
/** A page of the console; an address on another host is refused. */
export const NextPage = Type.Optional(
  Type.String({
    pattern: '^/app(?:[/?#][^\\s\\\\]*)?$',
    maxLength: 500,
    description: 'Page of the console to go to after the sign-in; the link in the email contains it',
    examples: ['/app/agents'],
  }),
)
/** The response of a command without other results. */
export const Ok = Type.Object({ ok: Type.Literal(true) })
export const OK: Readonly<Static<typeof Ok>> = { ok: true }

export const Secret = Type.String({ minLength: 1, maxLength: 2048 })
export const UserTypeName = named('UserType', Type.Union([Type.Literal('HUMAN'), Type.Literal('AGENT')]))
export const RoleName = named('UserRole', Type.Union([Type.Literal('USER'), Type.Literal('ADMIN')]))

export const UserRecord = named(
  'User',
  Type.Object({
    id: Id,
    email: Type.String({ description: 'Empty for accounts without one' }),
    displayName: Type.String(),
    username: Nullable(Type.String()),
    userType: UserTypeName,
    role: RoleName,
    createdAt: Moment,
  }),
)

export const TokenFields = {
  accessToken: Type.String({ description: 'JWT, 15 minutes' }),
  refreshToken: Type.String({ description: 'Single use, 30 days' }),
  expiresIn: Type.Integer({ description: 'Seconds of the access token', examples: [900] }),
}
export const TokenAnswer = named('TokenPair', Type.Object(TokenFields))
export const SessionAnswer = named('SignedIn', Type.Object({ user: UserRecord, ...TokenFields }))

export const Warnings = Type.Optional(
  Type.Array(Type.String(), { description: 'What production mode would refuse' }),
)

export const userRecord = ({
  id,
  email,
  displayName,
  username,
  userType,
  role,
  createdAt,
}: Account): Static<typeof UserRecord> => ({
  id,
  email,
  displayName,
  username,
  userType,
  role,
  createdAt: createdAt.toISOString(),
})

/** The account as its owner and an admin see it. */
export const Profile = named(
  'Account',
  Type.Object({
    ...UserRecord.properties,
    plan: Type.String({ examples: ['FREE'] }),
    status: Type.String({ examples: ['ACTIVE'] }),
  }),
)
export const profile = (account: Account): Static<typeof Profile> => ({
  ...userRecord(account),
  plan: account.plan,
  status: account.status,
})

export const ScopeName = named('Scope', Type.Enum([...SCOPES]))
const MaybeMoment = Nullable(Moment)

export const ServiceAccountRecord = named(
  'ServiceAccount',
  Type.Object({
    id: Id,
    name: Type.String(),
    description: Type.String(),
    agentId: Nullable(Id),
    organizationId: Nullable(Id),
    scopes: Type.Array(ScopeName),
    status: Type.Enum(['ACTIVE', 'EXPIRED', 'REVOKED']),
    keyPrefix: Nullable(
      Type.String({
        description: 'Prefix and last four characters of the active key',
        examples: ['sk_…aB3x'],
      }),
    ),
    spendingLimit: Nullable({
      ...Money,
      description:
        'The most that the key may pay into escrow in all, without what was refunded; null for no limit',
    }),
    lastUsedAt: MaybeMoment,
    expiresAt: MaybeMoment,
    createdAt: Moment,
  }),
)

/** `now` is business time: an expired one shows as EXPIRED. */
export const serviceAccountRecord = (
  { kind, status, lastFour, lastUsedAt, expiresAt, spendingLimit, createdAt, ...rest }: ServiceAccount,
  now: Date,
): Static<typeof ServiceAccountRecord> => ({
  ...rest,
  status: status === 'ACTIVE' && expiresAt && expiresAt <= now ? 'EXPIRED' : status,
  spendingLimit: spendingLimit === null ? null : formatMoney(spendingLimit),
  keyPrefix: lastFour ? `${kind}_…${lastFour}` : null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  expiresAt: expiresAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
})

export const ApprovalStatusName = named('ApprovalStatus', Type.Enum([...APPROVAL_STATUSES]))
/** A request of an admin that waits, or waited, for another admin. */
export const ApprovalRecord = named(
  'Approval',
  Type.Object({
    id: Id,
    kind: Type.String({ examples: ['wallet.transfer'] }),
    payload: Type.Record(Type.String(), Type.String(), { description: 'Input of the approved operation' }),
    status: ApprovalStatusName,
    requestedBy: Id,
    decidedBy: Nullable(Id),
    decidedAt: Nullable(Moment),
    reason: Nullable(Type.String({ description: 'Of the decision' })),
    expiresAt: Moment,
    createdAt: Moment,
  }),
)
