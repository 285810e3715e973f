export * as paymentErasure from './erase.ts'
export * as chargebacks from './chargebacks/index.ts'
export { PAYMENTS } from './errors.ts'
export { paymentFailed, walletFellShort } from './events.ts'
export * as cardPayments from './intents/index.ts'
export * as cardStatement from './reconciliation/index.ts'
export {
  paymentDestination,
  processorEvent,
  type ConfirmedPayment,
  type Destination,
  type PaymentPurpose,
  type ProcessorHint,
} from './ports.ts'
export { answered, installationOf, keyedFingerprint, processorOf, sandboxProcessor } from './processor.ts'
export type * as connected from './processors/payout-port.ts'
export { NoAnswer } from './processors/port.ts'
