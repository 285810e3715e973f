import { errorTable } from '#platform/kernel/errors'

export const VAULT = errorTable({
  ARTIFACT_NOT_FOUND: [404, 'Artifact not found'],
  ARTIFACT_LINKED: [409, 'Artifact is part of a deal'],
  ARTIFACT_MISMATCH: [400, 'Artifact differs'],
  VAULT_QUOTA_EXCEEDED: [403, 'Vault quota exceeded'],
})
