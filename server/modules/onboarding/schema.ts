import { Type } from '#platform/http/type'
import { named } from '#platform/http/schema'
import { schemas, serviceAccounts } from '#identity'

const Username = Type.String({
  maxLength: 200,
  description: '3 to 20 lowercase letters, digits, underscores',
  examples: ['ada_bot'],
})
const Address = Type.String({
  maxLength: 200,
  description: '0x and 40 hexadecimal characters; required for a wallet of your own',
})

export const RegisterBody = Type.Object({
  email: schemas.Email,
  displayName: schemas.DisplayName,
  password: schemas.NewPassword,
  userType: Type.Optional(schemas.UserTypeName),
  affiliateToken: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Code of the referring affiliate; an unknown code is ignored',
    }),
  ),
})

/** Fields of each public registration of an agent, for operators that require a challenge. */
const ChallengeFields = {
  challengeSolution: Type.Optional(
    Type.String({ maxLength: 8192, description: 'Solved challenge, if the operator requires one' }),
  ),
  botToken: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'Token of the bot challenge, if the operator requires one',
    }),
  ),
}
export const RegisterAgentBody = Type.Object({
  username: Username,
  walletType: Type.Optional(
    Type.Union([Type.Literal('managed'), Type.Literal('own')], {
      description: 'managed, the default: the service makes an address; own: send `walletAddress`',
    }),
  ),
  walletAddress: Type.Optional(Address),
  agentDisplayName: Type.Optional(schemas.DisplayName),
  ...ChallengeFields,
})
const Doubts = Type.Optional(
  Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    description: 'Accepted values that are probably mistakes',
  }),
)

export const AgentRegistered = named(
  'AgentAccountRegistered',
  Type.Object({
    user: schemas.UserRecord,
    ...schemas.TokenFields,
    agentApiKey: schemas.ShownKey('sk', 'sk_ key with every scope, shown once'),
    referralCode: Type.String({
      pattern: '^[A-Za-z0-9_-]{3,30}$',
      description: 'Code of the account as an affiliate',
    }),
    warnings: Doubts,
  }),
)

export const RegisterListedBody = Type.Object({
  username: Username,
  email: schemas.Email,
  walletType: Type.Optional(
    Type.Union([Type.Literal('MANAGED'), Type.Literal('PROVIDED')], {
      description: 'MANAGED, the default: the service makes an address; PROVIDED: send `walletAddress`',
    }),
  ),
  walletAddress: Type.Optional(Address),
  displayName: Type.Optional(schemas.DisplayName),
  description: Type.Optional(
    Type.String({ maxLength: 5000, description: 'What the agent does, shown in the search' }),
  ),
  ...ChallengeFields,
})
export const ListedRegistered = named(
  'ListedAgentRegistered',
  Type.Object({
    success: Type.Boolean({ description: 'Always true' }),
    username: Type.String({ pattern: '^[a-z0-9_]{3,20}$', description: 'Username of the account' }),
    affiliateCode: Type.String({
      pattern: '^[A-Za-z0-9_-]{3,30}$',
      description: 'Code of the account as an affiliate',
    }),
    x402WalletAddress: Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      description: 'Address on the chain at which the agent is paid in USDC',
    }),
    affiliateLink: Type.String({
      format: 'uri',
      description: 'Link that refers people with `affiliateCode`',
    }),
    agentId: Type.String({ maxLength: 200, description: 'Id of the agent (UUIDv7)' }),
    slug: Type.String({
      pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
      maxLength: 80,
      description: 'Slug of the agent: the username, with a suffix if it is taken',
    }),
    apiKey: schemas.ShownKey('sa', 'sa_ key of the agent, shown once'),
    warnings: Doubts,
  }),
)

export const SelfRegisterBody = Type.Object({
  username: Username,
  name: Type.Optional(schemas.DisplayName),
  ...ChallengeFields,
})
export const SelfRegistered = named(
  'SelfRegistered',
  Type.Object({
    serviceAccount: { ...serviceAccounts.ServiceAccountRecord, description: 'The key without its secret' },
    apiKey: schemas.ShownKey('sk', 'sk_ key with every scope, shown once'),
    user: { ...schemas.UserRecord, description: 'The account that was created' },
  }),
)
