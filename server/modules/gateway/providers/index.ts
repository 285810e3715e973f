export { createUpstream } from './upstream.ts'
export { FAULT_KINDS, providerFaults, type FaultKind } from './faults.ts'
