import { Type } from '#platform/http/type'
import { approvals } from '#identity'
import { ledgerOwners } from '#ledger'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable } from '#platform/http/schema'

const OwnerType = named(
  'WalletOwnerType',
  Type.Union([Type.Literal('USER'), Type.Literal('AGENT'), Type.Literal('ORGANIZATION')], {
    description: 'Whose wallet it is',
  }),
)

const walletFields = {
  id: { ...Id, description: 'Id of the wallet (UUIDv7)' },
  ownerType: OwnerType,
  ownerId: { ...Id, description: 'Id of the account, agent or organization' },
  currency: Currency,
  isDefault: Type.Boolean({ description: "The owner's default for this currency" }),
  balance: {
    ...Money,
    description: '`available` + `reserved`, in dollars with 2 to 6 decimals',
    examples: ['150.00'],
  },
  reserved: { ...Money, description: 'In escrows and pending payouts, in dollars', examples: ['50.00'] },
  available: {
    ...Money,
    description: 'What can be spent, in dollars: real money and test credit',
    examples: ['100.00'],
  },
  withdrawable: { ...Money, description: 'Real money only, in dollars', examples: ['90.00'] },
  testBalance: {
    ...Money,
    description: 'Test credit, in dollars: spendable, never withdrawable',
    examples: ['10.00'],
  },
  isFrozen: Type.Boolean({
    description:
      'Whether a bank disputes a card payment whose money the wallet has got: real money arrives, and cannot leave until the bank decides',
  }),
  status: Type.Literal('ACTIVE', { description: 'Always ACTIVE' }),
  walletType: Type.Union([Type.Literal('MANAGED'), Type.Literal('PROVIDED')], {
    description: 'MANAGED: the service made the address of the wallet; PROVIDED: the owner named it',
  }),
  cryptoAddress: Nullable(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      examples: ['0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'],
      description: 'Address on the chain at which USDC arrives; null for a wallet without one',
    }),
  ),
  cryptoNetwork: Nullable(
    Type.String({
      pattern: '^[a-z0-9-]+:[A-Za-z0-9_-]+$',
      description: 'Chain of `cryptoAddress` in CAIP-2; null without an address',
      examples: ['eip155:84532'],
    }),
  ),
  createdAt: Moment,
}
export const WalletRecord = named('Wallet', Type.Object(walletFields))
/** The default wallet of an owner, with all wallets of that owner. */
export const OwnerWallets = named(
  'OwnerWallets',
  Type.Object({
    ...walletFields,
    wallets: Type.Array(WalletRecord, {
      minItems: 1,
      description: 'All wallets of the owner, the default first',
    }),
  }),
)

const Direction = Type.Union([Type.Literal('IN'), Type.Literal('OUT')], {
  description: 'IN credits the wallet, OUT debits it',
})

export const Transaction = named(
  'WalletTransaction',
  Type.Object({
    id: Type.String({ maxLength: 200, description: 'Id of the journal in the ledger (UUIDv7)' }),
    type: Type.String({
      pattern: '^[a-z0-9_.-]+$',
      examples: ['fund'],
      description: 'Kind of the journal, such as `fund`, `transfer` or `ap2.release`',
    }),
    status: Type.Union([Type.Literal('COMPLETED'), Type.Literal('PENDING')], {
      description: 'COMPLETED once it is posted; PENDING while a payment is awaited',
    }),
    direction: Direction,
    amount: { ...Money, description: 'Positive amount in `currency`; `direction` has the sign' },
    currency: Currency,
    test: Type.Boolean({ description: 'Whether it is test credit' }),
    balanceAfter: Nullable({
      ...Money,
      description: 'Balance of the sub-account (real money or test credit) after the transaction',
      examples: ['150.00'],
    }),
    counterpart: Type.String({ minLength: 1, description: 'The other side of the transaction' }),
    memo: Nullable(
      Type.String({ maxLength: 500, description: 'Memo of the account that posted it; null without one' }),
    ),
    reference: Type.Record(Type.String(), Type.String({ maxLength: 200 }), {
      description: 'Ids of what it is about, by name, such as `escrowId`',
    }),
    createdAt: Moment,
  }),
)
export const WalletAndTransaction = named(
  'WalletAndTransaction',
  Type.Object({
    wallet: { ...WalletRecord, description: 'The wallet after the transaction' },
    transaction: { ...Transaction, description: 'The transaction' },
  }),
)
/** Above the operator's limit: `approval` instead of `transaction`, because no money has moved yet. */
export const AdminTransferAnswer = named(
  'AdminTransferResult',
  Type.Object({
    wallet: { ...WalletRecord, description: 'The wallet after the transaction' },
    transaction: {
      ...Nullable(Transaction),
      description: 'Null while `approval` is awaited: no money has moved',
    },
    approval: Type.Optional({
      ...approvals.ApprovalRecord,
      description: "Above the operator's limit: the approval that another admin has to give",
    }),
  }),
)
export const WalletDetail = named(
  'WalletDetail',
  Type.Object({
    ...walletFields,
    wallets: Type.Array(WalletRecord, {
      minItems: 1,
      description: 'All wallets of the account, the default first',
    }),
    agentWallets: Type.Array(WalletRecord, {
      description: 'Wallets of the agents that the account owns, at most 100',
    }),
    transactions: Type.Array(Transaction, {
      description: 'The latest 20 transactions of the wallets of the account',
    }),
  }),
)

export const TotalsQuery = Type.Object({
  ownerType: Type.Optional(OwnerType),
  ownerId: Type.Optional(
    Type.String({ maxLength: 200, description: 'Without it your own wallets, or those of all your agents' }),
  ),
  unit: Type.Optional(
    Type.Enum(ledgerOwners.UNITS, {
      description: 'Length of a period, month by default; a week begins on Monday',
    }),
  ),
  from: Type.String({
    format: 'date-time',
    description: 'The first period is the one of this moment; at most 400 periods ago',
    examples: ['2026-01-01T00:00:00Z'],
  }),
  timeZone: Type.Optional(
    Type.String({
      maxLength: 60,
      pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
      description: 'Where days begin, an IANA name; UTC by default',
      examples: ['Europe/Berlin'],
    }),
  ),
})
const totalFields = {
  type: Type.String({
    examples: ['ap2.release'],
    description: 'Kind of the journals, such as `fund` or `ap2.release`',
  }),
  direction: Direction,
  amount: Money,
  currency: Currency,
  count: Type.Integer({ minimum: 1, description: 'How many transactions the sum has' }),
}
export const WalletTotals = named(
  'WalletTotals',
  Type.Object({
    unit: Type.Enum(ledgerOwners.UNITS, { description: 'Length of a period' }),
    from: { ...Moment, description: 'Start of the first period' },
    timeZone: Type.String({
      examples: ['Europe/Berlin'],
      description: 'IANA time zone in which the periods begin',
    }),
    periods: Type.Array(
      Type.Object({
        period: Type.String({ description: 'Its first day', examples: ['2026-05-01'] }),
        ...totalFields,
      }),
      {
        description:
          'Sums of all wallets by period, kind, direction and currency; a period without transactions is absent',
      },
    ),
    wallets: Type.Array(
      Type.Object({
        walletId: Id,
        ownerId: Id,
        test: Type.Boolean({ description: 'Whether it is test credit' }),
        ...totalFields,
      }),
      { description: 'Sums of each wallet over all periods, by kind, direction and currency' },
    ),
    cardRefunds: Type.Array(
      Type.Object({
        period: Type.String({ description: 'Its first day', examples: ['2026-05-01'] }),
        amount: Money,
        currency: Currency,
        count: Type.Integer({ minimum: 1, description: 'How many refunds the sum has' }),
      }),
      {
        description:
          'What went back to the card that paid a deal, by period and currency: no wallet has a transaction of it. A refund that fails is not here, but a transaction of the kind `refund_failed`',
      },
    ),
  }),
)

export const CreateWallet = Type.Object({
  ownerType: Type.Optional({ ...OwnerType, description: 'USER by default' }),
  ownerId: Type.Optional({
    ...Id,
    description: 'Id of your agent or organization; for USER your own account, which is the default',
  }),
  currency: Type.Optional({ ...Currency, description: 'USD by default' }),
  walletType: Type.Optional(
    Type.Union(
      [Type.Literal('MANAGED'), Type.Literal('PROVIDED'), Type.Literal('managed'), Type.Literal('own')],
      {
        description:
          'Whether the service makes an address (MANAGED) or you name one (PROVIDED); PROVIDED by default if `cryptoAddress` is there',
      },
    ),
  ),
  cryptoAddress: Type.Optional(
    Type.String({ maxLength: 100, description: 'A 0x address of your own, for PROVIDED' }),
  ),
})

const Memo = Type.Optional(
  Type.String({ maxLength: 500, description: 'Note of the sender; both owners see it' }),
)
const Reason = Type.String({ minLength: 1, maxLength: 500, description: 'Why, for the audit log' })
const target = {
  toWalletId: Type.Optional({ ...Id, description: 'Wallet to credit; instead of `toUsername`' }),
  toUsername: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Username of the account whose default wallet to credit; instead of `toWalletId`',
    }),
  ),
}

export const Transfer = Type.Object({ ...target, amount: AmountIn, memo: Memo })
export const AdminTransfer = Type.Object({
  fromWalletId: { ...Id, description: 'Wallet to debit' },
  ...target,
  amount: AmountIn,
  memo: Memo,
  reason: Reason,
})
const credited = { walletId: { ...Id, description: 'Wallet to credit' }, amount: AmountIn, reason: Reason }
export const Promotion = Type.Object(credited)
export const TestCredit = Type.Object(credited)

/** Unclaimed funds from the wallet of a deleted account or a closed organization. */
export const UnclaimedFunds = Type.Object({
  walletId: { ...Id, description: 'The wallet that the money was left in' },
  amount: Money,
  currency: Currency,
  since: { ...Moment, description: 'When the oldest part of it was left' },
})
export const AssignUnclaimed = Type.Object({
  toWalletId: { ...Id, description: 'Wallet to credit' },
  reason: Reason,
})
/** Above the operator's limit: `approval` instead of a journal, because no money has moved yet. */
export const UnclaimedExit = Type.Object({
  amount: Money,
  currency: Currency,
  journalId: Nullable({
    ...Id,
    description: 'Journal that moved the money; null while `approval` is awaited',
  }),
  approval: Type.Optional({
    ...approvals.ApprovalRecord,
    description: "Above the operator's limit: the approval that another admin has to give",
  }),
})
