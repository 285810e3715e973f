import { Type } from 'typebox'
import { Moment, named, Nullable } from '#platform/http/schema'
import { DisplayName, Email, NewPassword, ServiceAccountRecord, TokenFields, UserRecord, UserTypeName } from '#identity'

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
  email: Email,
  displayName: DisplayName,
  password: NewPassword,
  userType: Type.Optional(UserTypeName),
  affiliateToken: Type.Optional(
    Type.String({ maxLength: 500, description: 'Code of the affiliate who referred; an unknown one is no error' }),
  ),
})

/** Who brought the account, only when somebody did. */
export const ReferralMeta = named('ReferralMeta', Type.Object({
  referral: Type.Object({
    code: Type.String(),
    source: Type.String({ examples: ['registration'] }),
    clickId: Nullable(Type.String()),
    boundAt: Moment,
    expiresAt: Moment,
  }),
}))

/** What every public registration of an agent takes where the operator asks for a challenge. */
const ChallengeFields = {
  challengeSolution: Type.Optional(
    Type.String({ maxLength: 8192, description: 'Solved challenge, where the operator asks for one' }),
  ),
  botToken: Type.Optional(
    Type.String({ maxLength: 8192, description: 'Token of the bot challenge, where the operator asks for one' }),
  ),
}
export const RegisterAgentBody = Type.Object({
  username: Username,
  walletType: Type.Optional(Type.Union([Type.Literal('managed'), Type.Literal('own')])),
  walletAddress: Type.Optional(Address),
  agentDisplayName: Type.Optional(DisplayName),
  ...ChallengeFields,
})
const Doubts = Type.Optional(Type.Array(Type.String(), { description: 'What was taken but is likely a slip' }))

export const AgentRegistered = named('AgentAccountRegistered', Type.Object({
  user: UserRecord,
  ...TokenFields,
  agentApiKey: Type.String({ description: 'sk_ key with every scope, shown once' }),
  referralCode: Type.String(),
  warnings: Doubts,
}))

export const RegisterListedBody = Type.Object({
  username: Username,
  email: Email,
  walletType: Type.Optional(Type.Union([Type.Literal('MANAGED'), Type.Literal('PROVIDED')])),
  walletAddress: Type.Optional(Address),
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Type.String({ maxLength: 5000 })),
  ...ChallengeFields,
})
export const ListedRegistered = named('ListedAgentRegistered', Type.Object({
  success: Type.Boolean(),
  username: Type.String(),
  affiliateCode: Type.String(),
  x402WalletAddress: Type.String(),
  affiliateLink: Type.String(),
  agentId: Type.String(),
  slug: Type.String({ description: 'Of the agent: the username, with a suffix where an agent has that already' }),
  apiKey: Type.String({ description: 'sa_ key of the agent, shown once' }),
  warnings: Doubts,
}))

export const SelfRegisterBody = Type.Object({ username: Username, name: Type.Optional(DisplayName), ...ChallengeFields })
export const SelfRegistered = named('SelfRegistered', Type.Object({
  serviceAccount: ServiceAccountRecord,
  apiKey: Type.String({ description: 'sk_ key with every scope, shown once' }),
  user: UserRecord,
}))
