import { Type } from '#platform/http/type'
import { approvals } from '#identity'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable } from '#platform/http/schema'

const OwnerType = named(
  'WalletOwnerType',
  Type.Union([Type.Literal('USER'), Type.Literal('AGENT'), Type.Literal('ORGANIZATION')]),
)

const walletFields = {
  id: Id,
  ownerType: OwnerType,
  ownerId: Id,
  currency: Currency,
  isDefault: Type.Boolean({ description: "The owner's default for this currency" }),
  balance: Type.String({ description: 'available + reserved', examples: ['150.00'] }),
  reserved: Type.String({ description: 'In escrows and pending payouts', examples: ['50.00'] }),
  available: Type.String({
    description: 'What can be spent: real money and test credit',
    examples: ['100.00'],
  }),
  withdrawable: Type.String({ description: 'Real money only', examples: ['90.00'] }),
  testBalance: Type.String({
    description: 'Test credit: spendable, never withdrawable',
    examples: ['10.00'],
  }),
  status: Type.Literal('ACTIVE'),
  walletType: Type.Union([Type.Literal('MANAGED'), Type.Literal('PROVIDED')]),
  cryptoAddress: Nullable(Type.String({ examples: ['0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'] })),
  cryptoNetwork: Nullable(Type.String({ description: 'CAIP-2', examples: ['eip155:84532'] })),
  createdAt: Moment,
}
export const WalletRecord = named('Wallet', Type.Object(walletFields))
/** The default wallet of an owner, with all wallets of that owner. */
export const OwnerWallets = named(
  'OwnerWallets',
  Type.Object({ ...walletFields, wallets: Type.Array(WalletRecord) }),
)

export const Transaction = named(
  'WalletTransaction',
  Type.Object({
    id: Type.String({ description: 'Journal id in the ledger' }),
    type: Type.String({ examples: ['fund'] }),
    status: Type.Union([Type.Literal('COMPLETED'), Type.Literal('PENDING')]),
    direction: Type.Union([Type.Literal('IN'), Type.Literal('OUT')]),
    amount: Money,
    currency: Currency,
    test: Type.Boolean({ description: 'Whether it is test credit' }),
    balanceAfter: Nullable(
      Type.String({
        description: 'Balance of the sub-account (real money or test credit) after the transaction',
        examples: ['150.00'],
      }),
    ),
    counterpart: Type.String({ description: 'The other side of the transaction' }),
    memo: Nullable(Type.String()),
    reference: Type.Record(Type.String(), Type.String()),
    createdAt: Moment,
  }),
)
export const WalletAndTransaction = named(
  'WalletAndTransaction',
  Type.Object({ wallet: WalletRecord, transaction: Transaction }),
)
/** Above the operator's limit: `approval` instead of `transaction`, because no money has moved yet. */
export const AdminTransferAnswer = named(
  'AdminTransferResult',
  Type.Object({
    wallet: WalletRecord,
    transaction: Nullable(Transaction),
    approval: Type.Optional(approvals.ApprovalRecord),
  }),
)
export const WalletDetail = named(
  'WalletDetail',
  Type.Object({
    ...walletFields,
    wallets: Type.Array(WalletRecord),
    agentWallets: Type.Array(WalletRecord),
    transactions: Type.Array(Transaction),
  }),
)

export const CreateWallet = Type.Object({
  ownerType: Type.Optional(OwnerType),
  ownerId: Type.Optional(Id),
  currency: Type.Optional(Currency),
  walletType: Type.Optional(
    Type.Union([
      Type.Literal('MANAGED'),
      Type.Literal('PROVIDED'),
      Type.Literal('managed'),
      Type.Literal('own'),
    ]),
  ),
  cryptoAddress: Type.Optional(
    Type.String({ maxLength: 100, description: 'A 0x address of your own, for PROVIDED' }),
  ),
})

const Memo = Type.Optional(Type.String({ maxLength: 500 }))
const Reason = Type.String({ minLength: 1, maxLength: 500 })
const target = { toWalletId: Type.Optional(Id), toUsername: Type.Optional(Type.String({ maxLength: 100 })) }

export const Transfer = Type.Object({ ...target, amount: AmountIn, memo: Memo })
export const AdminTransfer = Type.Object({
  fromWalletId: Id,
  ...target,
  amount: AmountIn,
  memo: Memo,
  reason: Reason,
})
export const TestCredit = Type.Object({ walletId: Id, amount: AmountIn, reason: Reason })

/** Unclaimed funds from the wallet of a deleted account or a closed organization. */
export const UnclaimedFunds = Type.Object({ walletId: Id, amount: Money, currency: Currency, since: Moment })
export const AssignUnclaimed = Type.Object({ toWalletId: Id, reason: Reason })
/** Above the operator's limit: `approval` instead of a journal, because no money has moved yet. */
export const UnclaimedExit = Type.Object({
  amount: Money,
  currency: Currency,
  journalId: Nullable(Id),
  approval: Type.Optional(approvals.ApprovalRecord),
})
