import { Type } from '#platform/http/type'
import { Transaction, WalletRecord } from '#wallets'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { ACCOUNT_STATES } from './account/account-machine.ts'
import { PAYOUT_STATES } from './payout/payout-machine.ts'

const RailName = Type.Union([Type.Literal('processor'), Type.Literal('chain')], {
  description: 'processor by default: to the connected bank account; chain: USDC to an address',
  examples: ['processor'],
})
const WebAddress = (what: string) => Type.Optional(Type.String({ maxLength: 2000, description: what }))

export const SetupBody = {
  email: Type.Optional(
    Type.String({ format: 'email', maxLength: 254, description: 'For the processor; yours by default' }),
  ),
  country: Type.Optional(
    Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2', examples: ['US'] }),
  ),
  returnUrl: WebAddress('Where the onboarding page leads when it is complete'),
  refreshUrl: WebAddress('Where it leads when its link has expired'),
}
export const AgentNamed = { agentId: Id }
export const OrganizationNamed = {
  organizationSlug: Type.String({ maxLength: 200, examples: ['lovelace-works'] }),
}

const amounts = {
  amount: Type.Optional(AmountIn),
  amountCents: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000_000_000, description: 'Instead of amount' }),
  ),
}
export const RequestBody = {
  ...amounts,
  rail: Type.Optional(RailName),
  toAddress: Type.Optional(
    Type.String({ maxLength: 100, description: 'For rail chain: a 0x address, which is saved' }),
  ),
}
export const AgentToUser = Type.Object({ ...AgentNamed, ...amounts, currency: Type.Optional(Currency) })

export const PayoutSetup = named(
  'PayoutSetup',
  Type.Object({
    accountId: Type.String({ description: 'Id of the connected account at the processor' }),
    onboardingUrl: Type.String({ format: 'uri', description: 'Short-lived: request another one with setup' }),
    isReady: Type.Boolean({ description: 'Whether payouts can be requested' }),
  }),
)

export const PayoutAccountStatus = named(
  'PayoutAccountStatus',
  Type.Object({
    accountId: Nullable(Type.String({ description: 'Id of the connected account at the processor' })),
    status: Type.Enum([...ACCOUNT_STATES]),
    isConnected: Type.Boolean(),
    isPayoutsEnabled: Type.Boolean(),
    isReady: Type.Boolean({ description: 'Whether payouts can be requested' }),
    requirements: Type.Array(Type.String(), { description: 'What the processor still asks for' }),
    disabledReason: Nullable(Type.String({ description: 'Why the processor restricts the account' })),
    toAddress: Nullable(Type.String({ description: 'The saved address on the chain' })),
  }),
)

export const PayoutRecord = named(
  'Payout',
  Type.Object({
    id: Id,
    walletId: Id,
    amount: Money,
    currency: Currency,
    rail: RailName,
    destination: Type.String({ description: 'The connected account, or the address on the chain' }),
    status: Type.Enum([...PAYOUT_STATES]),
    failureReason: Nullable(Type.String()),
    createdAt: Moment,
    completedAt: Nullable(Moment),
  }),
)

export const AdminPayoutRecord = named(
  'AdminPayout',
  Type.Object({
    ...PayoutRecord.properties,
    ownerType: Type.Enum(['USER', 'AGENT', 'ORGANIZATION']),
    ownerId: Id,
    accountId: { ...Id, description: 'The account that requested it; the id of an organization for its own' },
    approvalId: Nullable({ ...Id, description: 'The approval that decides about a payout in REVIEW' }),
  }),
)
export const PayoutFilter = Type.Object({
  status: Type.Optional(Type.Enum([...PAYOUT_STATES])),
  ...PageQuery,
})

export const PaidOwner = named(
  'AgentToUserResult',
  Type.Object({ wallet: WalletRecord, transaction: Transaction }),
)
