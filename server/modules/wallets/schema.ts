import { Type } from 'typebox'
import { ApprovalRecord } from '#identity'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable } from '#platform/http/schema'

const OwnerType = named('WalletOwnerType', Type.Union([Type.Literal('USER'), Type.Literal('AGENT'), Type.Literal('ORGANIZATION')]))

const walletFields = {
  id: Id,
  ownerType: OwnerType,
  ownerId: Id,
  currency: Currency,
  isDefault: Type.Boolean({ description: 'The owner\'s default for this currency' }),
  balance: Type.String({ description: 'available + reserved', examples: ['150.00'] }),
  reserved: Type.String({ description: 'In own escrows and payouts under way', examples: ['50.00'] }),
  available: Type.String({ description: 'What can be spent: real money and test credit', examples: ['100.00'] }),
  withdrawable: Type.String({ description: 'Real money only', examples: ['90.00'] }),
  testBalance: Type.String({ description: 'Test credit: spendable, never withdrawable', examples: ['10.00'] }),
  status: Type.Literal('ACTIVE'),
  walletType: Type.Union([Type.Literal('MANAGED'), Type.Literal('PROVIDED')]),
  cryptoAddress: Nullable(Type.String({ examples: ['0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'] })),
  cryptoNetwork: Nullable(Type.String({ description: 'CAIP-2', examples: ['eip155:84532'] })),
  createdAt: Moment,
}
export const WalletRecord = named('Wallet', Type.Object(walletFields))
/** The default wallet bare, with all of its owner's. */
export const OwnerWallets = named('OwnerWallets', Type.Object({ ...walletFields, wallets: Type.Array(WalletRecord) }))

export const Transaction = named('WalletTransaction', Type.Object({
  id: Type.String({ description: 'Journal id in the ledger' }),
  type: Type.String({ examples: ['fund'] }),
  status: Type.Union([Type.Literal('COMPLETED'), Type.Literal('PENDING')]),
  direction: Type.Union([Type.Literal('IN'), Type.Literal('OUT')]),
  amount: Money,
  currency: Currency,
  test: Type.Boolean({ description: 'Whether it moved test credit' }),
  balanceAfter: Nullable(Type.String({ description: 'Of the purse that it moved (real or test), after it', examples: ['150.00'] })),
  counterpart: Type.String({ description: 'Where it came from or went to' }),
  memo: Nullable(Type.String()),
  reference: Type.Record(Type.String(), Type.String()),
  createdAt: Moment,
}))
export const WalletAndTransaction = named('WalletAndTransaction', Type.Object({ wallet: WalletRecord, transaction: Transaction }))
/** Above the operator's limit nothing moved yet: `approval` instead of `transaction`. */
export const AdminTransferAnswer = named('AdminTransferResult', Type.Object({
  wallet: WalletRecord, transaction: Nullable(Transaction), approval: Type.Optional(ApprovalRecord),
}))
export const WalletDetail = named('WalletDetail', Type.Object({
  ...walletFields, wallets: Type.Array(WalletRecord), agentWallets: Type.Array(WalletRecord), transactions: Type.Array(Transaction),
}))

export const CreateWallet = Type.Object({
  ownerType: Type.Optional(OwnerType),
  ownerId: Type.Optional(Id),
  currency: Type.Optional(Currency),
  walletType: Type.Optional(Type.Union([Type.Literal('MANAGED'), Type.Literal('PROVIDED'), Type.Literal('managed'), Type.Literal('own')])),
  cryptoAddress: Type.Optional(Type.String({ maxLength: 100, description: 'A 0x address of your own, for PROVIDED' })),
})

const Memo = Type.Optional(Type.String({ maxLength: 500 }))
const Reason = Type.String({ minLength: 1, maxLength: 500 })
const target = { toWalletId: Type.Optional(Id), toUsername: Type.Optional(Type.String({ maxLength: 100 })) }

export const Transfer = Type.Object({ ...target, amount: AmountIn, memo: Memo })
export const AdminTransfer = Type.Object({ fromWalletId: Id, ...target, amount: AmountIn, memo: Memo, reason: Reason })
export const TestCredit = Type.Object({ walletId: Id, amount: AmountIn, reason: Reason })

/** What the wallet of a deleted account or a closed organization left behind. */
export const UnclaimedFunds = Type.Object({ walletId: Id, amount: Money, currency: Currency, since: Moment })
export const AssignUnclaimed = Type.Object({ toWalletId: Id, reason: Reason })
/** Above the operator's limit nothing moved yet: `approval` instead of a journal. */
export const UnclaimedExit = Type.Object({ amount: Money, currency: Currency, journalId: Nullable(Id), approval: Type.Optional(ApprovalRecord) })
