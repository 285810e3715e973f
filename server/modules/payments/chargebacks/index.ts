export {
  chargeback,
  chargebackReason,
  type ChargebackEffect,
  type ChargebackStep,
  type LostPart,
} from './port.ts'
export { chargeBackWalletFunding } from './wallet-funding.ts'
export { insertDebt, lockDebts, recoverDebts, type Receivable } from '../receivables/receivable.ts'
