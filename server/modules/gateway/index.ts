export { PROVIDERS, type Catalog } from './core/model.ts'
export { FAULT_KINDS, providerFaults, type FaultKind } from './providers/index.ts'
export { eraseOutcomeTextOf } from './analytics/index.ts'
export { eraseFundsOf } from './funds/index.ts'
