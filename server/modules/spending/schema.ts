import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable } from '#platform/http/schema'

const MaybeMoney = Nullable(Money)
const Limit = Type.Optional({
  ...Nullable(AmountIn),
  description: 'Amount in dollars, at most 6 decimals; null for no limit',
})
const Tier = Type.Enum(['UNVERIFIED', 'BASIC', 'VERIFIED', 'TRUSTED'], {
  description: 'Trust tier of an agent',
})
const Mode = Type.Enum(['AUTO', 'MANUAL'], {
  description: 'MANUAL: every payment needs an approval; AUTO: only those above `approvalThreshold`',
})
const Counterparties = (description: string) =>
  Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1000, description })
const Categories = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
  maxItems: 50,
  description: 'What the agent may buy; empty for all',
})

export const Budget = named(
  'AgentBudget',
  Type.Object({
    agentId: { ...Id, description: 'Id of the agent (UUIDv7)' },
    currency: Currency,
    monthlyLimit: {
      ...MaybeMoney,
      description: 'The most that it may spend in a period, in `currency`; null for no limit',
    },
    perTransactionLimit: {
      ...MaybeMoney,
      description: 'The most that one payment may be; null for no limit',
    },
    approvalThreshold: { ...MaybeMoney, description: 'Payments above it need an approval; null for none' },
    approvalMode: Mode,
    autoReload: Type.Boolean({ description: 'A new period begins with each month' }),
    remaining: { ...MaybeMoney, description: 'What is left in this period; null without a limit' },
    spentThisPeriod: { ...Money, description: 'What it spent in this period' },
    resetsOn: Nullable({ ...Moment, description: 'When the next period begins; null without `autoReload`' }),
  }),
)

export const BudgetBody = Type.Object({
  monthlyLimit: Limit,
  perTransactionLimit: Limit,
  approvalThreshold: Limit,
  approvalMode: Type.Optional(Mode),
  autoReload: Type.Optional(Type.Boolean({ description: 'Whether a new period begins with each month' })),
})

export const AutonomyPolicy = named(
  'AutonomyPolicy',
  Type.Object({
    agentId: { ...Id, description: 'Id of the agent (UUIDv7)' },
    perDealLimit: {
      ...MaybeMoney,
      description: 'The most that one deal may cost, in dollars; null for no limit',
    },
    dailyLimit: {
      ...MaybeMoney,
      description: 'The most that it may spend in a day (UTC), in dollars; null for no limit',
    },
    spentToday: { ...Money, description: 'What it spent today (UTC), in dollars' },
    approvalThreshold: {
      ...MaybeMoney,
      description: 'Deals above it need an approval, in dollars; null for none',
    },
    allowedCounterparties: Counterparties('Ids of agents or accounts; empty for all'),
    blockedCounterparties: Counterparties('Ids of agents or accounts'),
    categories: Categories,
    minimumCounterpartyTier: { ...Tier, description: 'The lowest trust tier that it may buy from' },
    updatedAt: Nullable({ ...Moment, description: 'When the policy was set last; null if it never was' }),
  }),
)

export const PolicyBody = Type.Object({
  perDealLimit: Limit,
  dailyLimit: Limit,
  approvalThreshold: Limit,
  allowedCounterparties: Type.Optional(Counterparties('Ids of agents or accounts; empty for all')),
  blockedCounterparties: Type.Optional(Counterparties('Ids of agents or accounts')),
  categories: Type.Optional(Categories),
  minimumCounterpartyTier: Type.Optional({
    ...Tier,
    description: 'The lowest trust tier that it may buy from',
  }),
})
