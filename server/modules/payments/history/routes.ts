import { Type } from '#platform/http/type'
import { query, type App } from '#platform/http/operations'
import { Id, pageOf, PageOf } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { PaymentQuery, PaymentRecord } from './schema.ts'
import { ownPayment, paymentPage } from './view.ts'

const common = { method: 'GET', tag: 'Escrow and payments', access: { accept: ['jwt'] } } as const

export function paymentHistoryRoutes(app: App, { clock }: Services): void {
  query(app, {
    ...common,
    url: '/payments/card',
    id: 'listCardPayments',
    summary: 'List your card payments',
    description:
      'The payments by card and on hosted pages that you started, for whatever purpose, the newest first. `checkoutUrl` leads ' +
      'back to a page that was left. What a key started is shown to its account.',
    query: PaymentQuery,
    success: [200, PageOf(PaymentRecord)],
    snapshot: true,
    run: (q, { principal: { accountId } }, { query: { status, ...page } }) =>
      paymentPage(q, { accountId, status }, { ...pageOf(page), now: clock.now() }),
  })
  query(app, {
    ...common,
    url: '/payments/card/{id}',
    id: 'getCardPayment',
    summary: 'Get a card payment',
    description:
      'The id is that of the escrow where it pays for one, otherwise `reference.paymentId` of the transaction. The payment of ' +
      'another account is 404.',
    params: Type.Object({ id: Id }),
    success: [200, PaymentRecord],
    run: (q, { principal: { accountId } }, { params: { id } }) =>
      ownPayment(q, { id, accountId }, clock.now()),
  })
}
