import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable } from '#platform/http/schema'

const Limit = Type.Optional(Nullable(AmountIn))
const MaybeMoney = Nullable(Money)

export const OrganizationPolicy = named(
  'OrganizationPolicy',
  Type.Object({
    currency: Currency,
    perTransactionLimit: MaybeMoney,
    monthlyLimit: MaybeMoney,
    spentThisPeriod: Money,
    remaining: MaybeMoney,
    resetsOn: Moment,
    updatedAt: Nullable(Moment),
  }),
)

export const PolicyBody = Type.Object({
  perTransactionLimit: Limit,
  monthlyLimit: Limit,
})

export const MemberBudgetRecord = named(
  'OrganizationBudget',
  Type.Object({
    userId: { ...Id, description: 'Id of the account of the member' },
    username: Nullable(
      Type.String({
        pattern: '^[a-z0-9_]{3,20}$',
        description: 'Unique name; null for an account without one',
      }),
    ),
    displayName: Nullable(
      Type.String({ maxLength: 100, description: 'Name that others see; null for a member without one' }),
    ),
    role: Type.Enum(['OWNER', 'ADMIN', 'MEMBER'], { description: 'Role of the member' }),
    currency: Currency,
    monthlyLimit: {
      ...MaybeMoney,
      description: 'The most that the member may spend in a month, in `currency`; null for no limit',
    },
    spentThisPeriod: { ...Money, description: 'What the member spent in this month (UTC)' },
    remaining: { ...MaybeMoney, description: 'What is left in this month; null without a limit' },
    resetsOn: { ...Moment, description: 'When the next month begins' },
  }),
)

export const BudgetBody = Type.Object({ monthlyLimit: Nullable(AmountIn) })
