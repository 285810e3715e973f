export {
  lockEvidence,
  planOutcome,
  reevaluateClaimedAgent,
  writeOutcome,
  type DealEnd,
  type Evidence,
} from './trust.ts'
export { certificationsOf, type Certification } from './ports.ts'
