import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { Transaction, WalletRecord } from '../schema.ts'

const Status = named(
  'VoucherStatus',
  Type.Union([
    Type.Literal('ACTIVE'),
    Type.Literal('REDEEMED'),
    Type.Literal('CANCELLED'),
    Type.Literal('EXPIRED'),
  ]),
)

const voucherFields = {
  id: Id,
  status: Status,
  walletId: Id,
  amount: Money,
  currency: Currency,
  codePrefix: Type.String({ description: 'The first four characters of the code', examples: ['7KQM'] }),
  note: Nullable(Type.String({ description: 'Visible to the owner of the wallet only' })),
  expiresAt: Moment,
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
      description: 'Shown once: anybody who knows it can redeem the voucher',
      examples: ['7KQM-2XPA-9TRD-HW47'],
    }),
  }),
)
export const RedeemedVoucher = named(
  'RedeemedVoucher',
  Type.Object({
    id: Id,
    status: Status,
    amount: Money,
    currency: Currency,
    wallet: WalletRecord,
    transaction: Transaction,
  }),
)

export const CreateVoucher = Type.Object({
  walletId: Id,
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
  walletId: Type.Optional(Id),
  status: Type.Optional(Status),
  ...PageQuery,
})
