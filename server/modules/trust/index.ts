export {
  annulCompletion,
  lockEvidence,
  planOutcome,
  reevaluateCertifiedAgent,
  reevaluateClaimedAgent,
  writeOutcome,
  type DealEnd,
  type Evidence,
} from './trust.ts'
export { certificatesOf, type Certificate } from './ports.ts'
