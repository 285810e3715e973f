export {
  chargedMethod,
  pageLink,
  requireCardPayable,
  startAwaitedCardPayment,
  startCardPayment,
  type CardPayment,
  type StartedPayment,
} from './card-payment.ts'
export { startedPayment } from './charge.ts'
export { refreshPayment } from './outcome.ts'
export { openRefund, refundsOf } from '../refunds/refund.ts'
export { abandonPayment } from './page.ts'
export { paymentById } from './summary.ts'
export { Checkout, PageLink, PaymentMethodId, Receipt } from '../schema.ts'
export { cryptoFunding, type CryptoOrder, type CryptoRequest } from './crypto-funding.ts'
