export {
  holdForRun,
  lockRunDeal,
  payRun,
  refundRun,
  requireRunAllowed,
  startRunDeal,
  type RunDeal,
} from './execution.ts'
export { rulesOf } from '../deal/tier.ts'
export { Event as RunEvent } from '../deal/schema.ts'
export { LedgerEntry as RunLedgerEntry, Transaction as RunTransaction } from '../escrow/schema.ts'
export { runTransaction, runLedgerEntries } from './view.ts'
export { waitingRuns, type WaitingRun } from './ports.ts'
