import { Type, type Static } from '#platform/http/type'
import { SCOPES } from '#platform/http/principal'
import type { Clock } from '#platform/kernel/clock'
import { formatMoney } from '#platform/kernel/money'
import { Id, Moment, Money, named, Nullable } from '#platform/http/schema'
import type { Account } from './account/account.ts'
import { APPROVAL_STATUSES } from './approvals/approval-machine.ts'
import type { ServiceAccount } from './credentials/key-sql.ts'

export const Email = Type.String({
  format: 'email',
  maxLength: 254,
  examples: ['ada@example.com'],
  description: 'Email address',
})
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
export const Password = Type.String({
  maxLength: 1024,
  examples: ['correct horse battery'],
  description: 'The current password',
})
export const DisplayName = {
  ...Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '\\S',
    format: 'display-name',
    examples: ['Ada'],
  }),
  /** A page of the console; an address on another host is refused. */ description:
    'Name that others see, 1 to 100 characters',
}
export const NextPage = Type.Optional(
  Type.String({
    pattern: '^/app(?:[/?#][^\\s\\\\]*)?$',
    maxLength: 500,
    description: 'Page of the console to go to after the sign-in; the link in the email contains it',
    examples: ['/app/agents'],
  }),
)
/** The response of a command without other results. */
export const Ok = Type.Object({ ok: Type.Literal(true, { description: 'Always true' }) })
export const OK: Readonly<Static<typeof Ok>> = { ok: true }

export const Secret = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'A credential of this service, exactly as it was shown',
})
export const UserTypeName = named(
  'UserType',
  Type.Union([Type.Literal('HUMAN'), Type.Literal('AGENT')], {
    description: 'HUMAN, or AGENT for an account that a program registered',
  }),
)
export const RoleName = named(
  'UserRole',
  Type.Union([Type.Literal('USER'), Type.Literal('ADMIN')], {
    description: 'ADMIN may use the operations under `/admin`',
  }),
)

export const UserRecord = named(
  'User',
  Type.Object({
    id: { ...Id, description: 'Id of the account (UUIDv7)' },
    email: Type.String({ maxLength: 254, description: 'Empty for accounts without one' }),
    displayName: Type.String({
      maxLength: 100,
      description: 'Name that others see; empty for a deleted account',
    }),
    username: Nullable(
      Type.String({
        pattern: '^[a-z0-9_]{3,20}$',
        description: 'Unique name; null for an account without one',
      }),
    ),
    userType: UserTypeName,
    role: RoleName,
    createdAt: Moment,
  }),
)

/** A key in the response that creates it. */
export const ShownKey = (kind: 'sk' | 'sa' | 's[ak]', description: string) =>
  Type.String({ pattern: `^${kind}_[0-9A-Za-z]{36}$`, description })

export const TokenFields = {
  accessToken: Type.String({ pattern: '^[\\w-]+[.][\\w-]+[.][\\w-]+$', description: 'JWT, 15 minutes' }),
  refreshToken: Type.String({ pattern: '^[\\w-]{43}$', description: 'Single use, 30 days' }),
  expiresIn: Type.Integer({
    description: 'Seconds until the access token expires',
    examples: [900],
    minimum: 0,
  }),
}
export const TokenAnswer = named('TokenPair', Type.Object(TokenFields))
export const SessionAnswer = named(
  'SignedIn',
  Type.Object({ user: { ...UserRecord, description: 'The account that is signed in' }, ...TokenFields }),
)

export const Warnings = Type.Optional(
  Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    description: 'What production mode would refuse',
  }),
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
    plan: Type.Enum(['FREE', 'PRO'], { description: 'Plan of the account' }),
    status: Type.Enum(['ACTIVE', 'SUSPENDED', 'DELETED'], {
      description: 'Only an ACTIVE account can sign in',
    }),
  }),
)
export const profile = (account: Account): Static<typeof Profile> => ({
  ...userRecord(account),
  plan: account.plan,
  status: account.status,
})

export const ScopeName = named('Scope', Type.Enum([...SCOPES], { description: 'What a key may do' }))
const MaybeMoment = Nullable(Moment)

export const ServiceAccountRecord = named(
  'ServiceAccount',
  Type.Object({
    id: { ...Id, description: 'Id of the service account (UUIDv7)' },
    name: Type.String({ maxLength: 200, description: 'Name that its owner gave it' }),
    description: Type.String({ description: 'Note of its owner; empty without one' }),
    agentId: Nullable({
      ...Id,
      description: 'The one agent that the key acts for; null for all of the account',
    }),
    organizationId: Nullable({
      ...Id,
      description: 'The one organization whose wallets the key uses; null for none',
    }),
    scopes: Type.Array(ScopeName, { minItems: 1, description: 'What the key may do' }),
    status: Type.Enum(['ACTIVE', 'EXPIRED', 'REVOKED'], {
      description: 'ACTIVE: the key works; EXPIRED and REVOKED: it does not',
    }),
    keyPrefix: Nullable(
      Type.String({
        pattern: '^[a-z]{2}_…',
        description: 'Prefix and last four characters of the active key',
        examples: ['sk_…aB3x'],
      }),
    ),
    spendingLimit: Nullable({
      ...Money,
      description:
        'The most that the key may pay into escrow in all, without what was refunded; null for no limit',
    }),
    lastUsedAt: { ...MaybeMoment, description: 'Last request with the key; null before the first' },
    expiresAt: {
      ...MaybeMoment,
      description:
        'When the key ends, for an OAuth client at the latest 90 days after it was allowed; null for never',
    },
    createdAt: Moment,
  }),
)

/** An expired one shows as EXPIRED. Of the two ends of a client's access the earlier one counts, each by its own time. */
export const serviceAccountRecord = (
  { kind, status, lastFour, lastUsedAt, spendingLimit, createdAt, ...rest }: ServiceAccount,
  clock: Clock,
): Static<typeof ServiceAccountRecord> => ({
  ...rest,
  status: status === 'ACTIVE' && isOver(rest, clock) ? 'EXPIRED' : status,
  spendingLimit: spendingLimit === null ? null : formatMoney(spendingLimit),
  keyPrefix: lastFour ? `${kind}_…${lastFour}` : null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  expiresAt: endOf(rest)?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
})

type Ends = Pick<ServiceAccount, 'expiresAt' | 'renewableUntil'>
const isOver = ({ expiresAt, renewableUntil }: Ends, clock: Clock): boolean =>
  (expiresAt !== null && expiresAt <= clock.now()) ||
  (renewableUntil !== null && renewableUntil <= clock.real())
const endOf = ({ expiresAt, renewableUntil }: Ends): Date | null =>
  expiresAt && renewableUntil && renewableUntil < expiresAt ? renewableUntil : (expiresAt ?? renewableUntil)

export const ApprovalStatusName = named(
  'ApprovalStatus',
  Type.Enum([...APPROVAL_STATUSES], { description: 'Only a PENDING approval can be decided' }),
)
/** A request of an admin that waits, or waited, for another admin. */
export const ApprovalRecord = named(
  'Approval',
  Type.Object({
    id: { ...Id, description: 'Id of the approval (UUIDv7)' },
    kind: Type.String({
      pattern: '^[a-z0-9_.-]+$',
      examples: ['wallet.transfer'],
      description: 'Which operation waits for it',
    }),
    payload: Type.Record(Type.String(), Type.String(), { description: 'Input of the approved operation' }),
    status: ApprovalStatusName,
    requestedBy: { ...Id, description: 'Id of the admin who asked for it' },
    decidedBy: Nullable({
      ...Id,
      description: 'Id of the admin who decided; null while it waits or if it expired',
    }),
    decidedAt: Nullable({ ...Moment, description: 'When it was decided; null while it waits' }),
    reason: Nullable(Type.String({ maxLength: 2000, description: 'Of the decision' })),
    expiresAt: { ...Moment, description: 'When it is rejected by itself' },
    createdAt: Moment,
  }),
)
