import { Type } from '#platform/http/type'
import { Transaction, WalletRecord } from '#wallets'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { ACCOUNT_STATES } from './account/account-machine.ts'
import { FAILURE_CODES } from './payout/failure.ts'
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
export const AgentNamed = { agentId: { ...Id, description: 'Id of your agent' } }
export const OrganizationNamed = {
  organizationSlug: Type.String({
    maxLength: 200,
    examples: ['lovelace-works'],
    description: 'Slug of your organization',
  }),
}

const amounts = {
  amount: Type.Optional(AmountIn),
  amountCents: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000_000_000,
      description: 'Amount in cents, instead of `amount`',
    }),
  ),
}
export const RequestBody = {
  ...amounts,
  rail: Type.Optional(RailName),
  toAddress: Type.Optional(
    Type.String({ maxLength: 100, description: 'For rail chain: a 0x address, which is saved' }),
  ),
}
export const AgentToUser = Type.Object({
  ...AgentNamed,
  ...amounts,
  currency: Type.Optional({ ...Currency, description: 'USD by default' }),
})

export const PayoutSetup = named(
  'PayoutSetup',
  Type.Object({
    accountId: Type.String({ minLength: 1, description: 'Id of the connected account at the processor' }),
    onboardingUrl: Type.String({ format: 'uri', description: 'Short-lived: request another one with setup' }),
    isReady: Type.Boolean({ description: 'Whether payouts can be requested' }),
  }),
)

export const PayoutAccountStatus = named(
  'PayoutAccountStatus',
  Type.Object({
    accountId: Nullable(
      Type.String({
        minLength: 1,
        description: 'Id of the connected account at the processor; null before it is connected',
      }),
    ),
    status: Type.Enum([...ACCOUNT_STATES], {
      description:
        'State of the connected account: NOT_CONNECTED, PENDING (details are missing), RESTRICTED, ACTIVE or REJECTED',
    }),
    isConnected: Type.Boolean({ description: 'Whether there is a connected account' }),
    isPayoutsEnabled: Type.Boolean({ description: 'Whether the processor pays out to it' }),
    isReady: Type.Boolean({ description: 'Whether payouts can be requested' }),
    requirements: Type.Array(Type.String({ minLength: 1 }), {
      uniqueItems: true,
      description: 'What the processor still asks for',
    }),
    disabledReason: Nullable(
      Type.String({
        minLength: 1,
        description: 'Why the processor restricts the account; null if it does not',
      }),
    ),
    toAddress: Nullable(
      Type.String({
        pattern: '^0x[0-9a-fA-F]{40}$',
        description: 'The saved address on the chain; null without one',
      }),
    ),
  }),
)

const FailureCodeName = named(
  'PayoutFailureCode',
  Type.Enum([...FAILURE_CODES], {
    description:
      'Why a payout failed, was returned or was canceled by the service; OTHER for a reason that is new or unknown',
  }),
)

export const PayoutRecord = named(
  'Payout',
  Type.Object({
    id: { ...Id, description: 'Id of the payout (UUIDv7)' },
    walletId: { ...Id, description: 'Wallet that pays' },
    amount: Money,
    currency: Currency,
    rail: RailName,
    destination: Type.String({
      minLength: 1,
      description: 'The connected account, or the address on the chain',
    }),
    status: Type.Enum([...PAYOUT_STATES], {
      description:
        'REVIEW and REQUESTED can be canceled; PAID, RETURNED, FAILED and CANCELED are final, except that a bank may return a PAID one',
    }),
    failureCode: Nullable(FailureCodeName),
    failureReason: Nullable(
      Type.String({
        minLength: 1,
        description: 'Why it failed, was returned or was not sent, in English; null otherwise',
      }),
    ),
    createdAt: Moment,
    sendAt: Nullable({
      ...Moment,
      description: 'When it is sent and can no longer be canceled; null unless REQUESTED',
    }),
    completedAt: Nullable({ ...Moment, description: 'When it reached a final state; null before' }),
  }),
)

export const AdminPayoutRecord = named(
  'AdminPayout',
  Type.Object({
    ...PayoutRecord.properties,
    ownerType: Type.Enum(['USER', 'AGENT', 'ORGANIZATION'], { description: 'Whose wallet pays' }),
    ownerId: { ...Id, description: 'Id of that account, agent or organization' },
    accountId: { ...Id, description: 'The account that requested it; the id of an organization for its own' },
    approvalId: Nullable({
      ...Id,
      description: 'The approval that decides about a payout in REVIEW; null if none was needed',
    }),
  }),
)
export const PayoutFilter = Type.Object({
  status: Type.Optional(Type.Enum([...PAYOUT_STATES], { description: 'Only payouts in this state' })),
  ...PageQuery,
})

export const PaidOwner = named(
  'AgentToUserResult',
  Type.Object({
    wallet: { ...WalletRecord, description: "The agent's wallet after the transaction" },
    transaction: { ...Transaction, description: 'The transaction that debited it' },
  }),
)
