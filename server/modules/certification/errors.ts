import { errorTable } from '#platform/kernel/errors'

export const CERTIFICATION = errorTable({
  CERTIFICATION_RUN_NOT_FOUND: [404, 'Certification run not found'],
  CERTIFICATION_PARTICIPANT_TWICE: [409, 'Agent already participates'],
  CERTIFICATION_WITHOUT_PARTICIPANT: [409, 'Certification run without participants'],
  CERTIFICATION_TOO_MANY: [409, 'Too many certification runs'],
  AGENT_ENDPOINT_MISSING: [400, 'Agent has no endpoint'],
  WEBHOOK_SECRET_MISSING: [400, 'Agent has no webhook secret'],
})
