import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { Id, PageOf } from '#platform/http/schema'
import { MICRO } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { makeCode } from './code.ts'
import { redeemVoucher, requireKnownCode } from './redeem.ts'
import * as schema from './schema.ts'
import { cancelVoucher, createVoucher, listVouchers } from './voucher.ts'

const common = { tag: 'Wallets and vouchers', access: { accept: ['jwt'] } } as const

export function voucherRoutes(app: App, services: Services): void {
  createRoute(app, services)
  redeemRoute(app, services)
  ownerRoutes(app)
}

function createRoute(app: App, { config, secrets }: Services): void {
  const unprovedLimit = BigInt(config.TRANSFER_STEP_UP_USD) * MICRO
  command(app, {
    ...common,
    method: 'POST',
    url: '/wallet-vouchers',
    id: 'createWalletVoucher',
    summary: 'Create a voucher',
    description:
      'Takes real money from a wallet, never test credit. The holder of the code can redeem the voucher. The response is the ' +
      'only one with the code. Vouchers count towards the daily TRANSFER_STEP_UP_USD like transfers. Insufficient funds are ' +
      '400 `Insufficient balance`.',
    body: schema.CreateVoucher,
    idempotent: true,
    sealResponse: secrets,
    errors: [404],
    success: [201, schema.VoucherWithCode],
    run: (tx, ctx, { body }) => createVoucher(tx, ctx, { ...body, code: makeCode(secrets) }, unprovedLimit),
  })
}

function redeemRoute(app: App, services: Services): void {
  command(app, {
    ...common,
    method: 'POST',
    url: '/wallet-vouchers/redeem',
    id: 'redeemWalletVoucher',
    summary: 'Redeem a voucher',
    description:
      'Credits your wallet. A mistyped or unknown code is 404; after 5 of them in a minute every code is 429. A voucher that was redeemed or cancelled, or has expired, is 409.',
    body: schema.RedeemVoucher,
    idempotent: true,
    errors: [404],
    success: [200, schema.RedeemedVoucher],
    prepare: (ctx, { body }) => requireKnownCode(services, ctx, body.code),
    run: (tx, ctx, { body }) => redeemVoucher(tx, ctx, body, services.secrets),
  })
}

function ownerRoutes(app: App): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/wallet-vouchers',
    id: 'listWalletVouchers',
    summary: 'List vouchers',
    description:
      'The vouchers of a wallet, or without `walletId` those of all your wallets and of your agents. The newest comes first.',
    query: schema.VoucherQuery,
    snapshot: true,
    errors: [403, 404],
    success: [200, PageOf(schema.VoucherRecord)],
    run: (q, ctx, { query }) => listVouchers(q, ctx, query),
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/wallet-vouchers/{id}/cancel',
    id: 'cancelWalletVoucher',
    summary: 'Cancel a voucher',
    description: 'Returns the money to the wallet that paid. A voucher that has ended is 409.',
    params: Type.Object({ id: Id }),
    idempotent: true,
    success: [200, schema.VoucherRecord],
    run: (tx, ctx, { params }) => cancelVoucher(tx, ctx, params.id),
  })
}
