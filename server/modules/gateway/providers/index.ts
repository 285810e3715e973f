export { createUpstream } from './upstream.ts'
export { missingParameter } from './parameters.ts'
export { FAULT_KINDS, providerFaults, type FaultKind } from './faults.ts'
