export { forgetPaymentsOf } from './forget.ts'
import './facts.ts'

export { paymentsModule } from './module.ts'
export { sandboxProcessor } from './processor.ts'
export { waitingForOperator } from './sql.ts'
export { settleApprovedSuspense } from './suspense-exit.ts'
export { paymentChecks } from './check.ts'
