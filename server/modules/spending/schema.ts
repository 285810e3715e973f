import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable } from '#platform/http/schema'

const MaybeMoney = Nullable(Money)
const Limit = Type.Optional(Nullable(AmountIn))
const Tier = Type.Enum(['UNVERIFIED', 'BASIC', 'VERIFIED', 'TRUSTED'])
const Mode = Type.Enum(['AUTO', 'MANUAL'])
const Counterparties = (description: string) =>
  Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1000, description })
const Categories = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
  maxItems: 50,
  description: 'What the agent may buy; empty for all',
})

export const Budget = named(
  'AgentBudget',
  Type.Object({
    agentId: Id,
    currency: Currency,
    monthlyLimit: MaybeMoney,
    perTransactionLimit: MaybeMoney,
    approvalThreshold: MaybeMoney,
    approvalMode: Mode,
    autoReload: Type.Boolean({ description: 'A new period begins with each month' }),
    remaining: MaybeMoney,
    spentThisPeriod: Money,
    resetsOn: Nullable(Moment),
  }),
)

export const BudgetBody = Type.Object({
  monthlyLimit: Limit,
  perTransactionLimit: Limit,
  approvalThreshold: Limit,
  approvalMode: Type.Optional(Mode),
  autoReload: Type.Optional(Type.Boolean()),
})

export const AutonomyPolicy = named(
  'AutonomyPolicy',
  Type.Object({
    agentId: Id,
    perDealLimit: MaybeMoney,
    dailyLimit: MaybeMoney,
    spentToday: Money,
    approvalThreshold: MaybeMoney,
    allowedCounterparties: Counterparties('Ids of agents or accounts; empty for all'),
    blockedCounterparties: Counterparties('Ids of agents or accounts'),
    categories: Categories,
    minimumCounterpartyTier: Tier,
    updatedAt: Nullable(Moment),
  }),
)

export const PolicyBody = Type.Object({
  perDealLimit: Limit,
  dailyLimit: Limit,
  approvalThreshold: Limit,
  allowedCounterparties: Type.Optional(Counterparties('Ids of agents or accounts; empty for all')),
  blockedCounterparties: Type.Optional(Counterparties('Ids of agents or accounts')),
  categories: Type.Optional(Categories),
  minimumCounterpartyTier: Type.Optional(Tier),
})
