export {
  chargeback,
  chargebackReason,
  type ChargebackEffect,
  type ChargebackStep,
  type LostPart,
} from './port.ts'
export { chargeBackWalletFunding } from './wallet-funding.ts'
export { lockDebts, recoverDebts, type Receivable } from '../receivables/receivable.ts'
