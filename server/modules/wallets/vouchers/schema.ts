import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { Transaction, WalletRecord } from '../schema.ts'

const Status = named(
  'VoucherStatus',
  Type.Union(
    [Type.Literal('ACTIVE'), Type.Literal('REDEEMED'), Type.Literal('CANCELLED'), Type.Literal('EXPIRED')],
    { description: 'ACTIVE until it is redeemed, canceled or expired' },
  ),
)

const voucherFields = {
  id: { ...Id, description: 'Id of the voucher (UUIDv7)' },
  status: Status,
  walletId: { ...Id, description: 'Wallet that paid for the voucher' },
  amount: Money,
  currency: Currency,
  codePrefix: Type.String({
    description: 'The first four characters of the code',
    examples: ['7KQM'],
    minLength: 4,
    maxLength: 4,
  }),
  note: Nullable(Type.String({ description: 'Visible to the owner of the wallet only' })),
  expiresAt: { ...Moment, description: 'When it expires and its amount returns to the wallet' },
  endedAt: Nullable(
    Type.String({ format: 'date-time', description: 'When it was redeemed, cancelled or expired' }),
  ),
  createdAt: Moment,
}
export const VoucherRecord = named('Voucher', Type.Object(voucherFields))
export const VoucherWithCode = named(
  'VoucherWithCode',
  Type.Object({
    ...voucherFields,
    code: Type.String({
      maxLength: 100,
      description: 'Shown once: anybody who knows it can redeem the voucher',
      examples: ['7KQM-2XPA-9TRD-HW47'],
    }),
  }),
)
export const RedeemedVoucher = named(
  'RedeemedVoucher',
  Type.Object({
    id: { ...Id, description: 'Id of the voucher (UUIDv7)' },
    status: Status,
    amount: Money,
    currency: Currency,
    wallet: { ...WalletRecord, description: 'Your wallet after the transaction' },
    transaction: { ...Transaction, description: 'The transaction that credited it' },
  }),
)

export const CreateVoucher = Type.Object({
  walletId: { ...Id, description: 'Your wallet to debit' },
  amount: AmountIn,
  expiresAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'In the future and at most 5 years ahead; 365 days from now by default',
    }),
  ),
  note: Type.Optional(Type.String({ maxLength: 500, description: 'For your own records' })),
})
export const RedeemVoucher = Type.Object({
  code: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Case, spaces and hyphens do not matter',
    examples: ['7KQM-2XPA-9TRD-HW47'],
  }),
  walletId: Type.Optional(
    Type.String({ maxLength: 200, description: 'Your wallet to credit; your default wallet otherwise' }),
  ),
})
export const VoucherQuery = Type.Object({
  walletId: Type.Optional({ ...Id, description: 'Only vouchers that this wallet paid for' }),
  status: Type.Optional({ ...Status, description: 'Only vouchers in this state' }),
  ...PageQuery,
})
