export {
  chargeback,
  chargebackReason,
  disputesAmong,
  type ChargebackEffect,
  type ChargebackStep,
  type LostPart,
} from './port.ts'
export { chargeBackWalletFunding, freezeDisputedWallet } from './wallet-funding.ts'
export { insertDebt, lockDebts, recoverDebts, type Receivable } from '../receivables/receivable.ts'
