export {
  chargeback,
  chargebackReason,
  disputesAmong,
  type ChargebackEffect,
  type ChargebackStep,
  type LostPart,
} from './port.ts'
export { lostOf } from './follow.ts'
export { chargeBackWalletFunding, freezeDisputedWallet } from './wallet-funding.ts'
export {
  insertDebt,
  lockDebts,
  recoverDebts,
  recoverFromReturn,
  type Receivable,
} from '../receivables/receivable.ts'
