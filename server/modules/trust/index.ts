export { trustModule } from './module.ts'
export { recordCompletion, recordFailure, reevaluate, type DealEnd } from './trust.ts'
