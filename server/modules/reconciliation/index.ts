export { difference, firstBy, money } from './difference.ts'
export { railReconciliation, type Difference, type RailReport, type ReconciliationOrder } from './port.ts'
export { periodOf } from './period.ts'
export { lineOf, reconcile, type Report } from './run.ts'
