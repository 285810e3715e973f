import './events.ts'

export {
  accountByEmail,
  accountById,
  accountByUsername,
  createAccount,
  type Account,
  type NewAccount,
  type Role,
  type UserType,
} from './account.ts'
export {
  agentKeysRevoked,
  hasActiveAgentKey,
  issueAgentKey,
  moveAgentKeys,
  revokeAgentKeys,
  revokeBoundKeys,
  rotateKey,
  suspendAgentKeys,
  type KeyAct,
} from './agent-key.ts'
export { promoteApproved } from './admin.ts'
export { requestApproval } from './approval.ts'
export { withChallenge } from './challenge.ts'
export { createAuthenticator } from './authenticator.ts'
export { adminIds, deletedAmong, eraseAccount, lockAgainstDeletion, organizationsBehind } from './erasure.ts'
export { IDENTITY, USERNAME_EXISTS } from './faults.ts'
export { firstAdminLink } from './first-admin.ts'
export { isSetupLinkGood, viewMailLink, type LinkView } from './link-view.ts'
export { sendVerification } from './mail-request.ts'
export { keepDevice } from './login.ts'
export { identityModule } from './module.ts'
export {
  actsForOrganization,
  demandStaff,
  firstOwnerOf,
  openOrganization,
  organizationBySlug,
  organizationsRunBy,
  staffOf,
} from './organization-role.ts'
export { hashPassword } from './password.ts'
export { passwordWarnings } from './password-rules.ts'
export {
  ApprovalRecord,
  DisplayName,
  Email,
  NewPassword,
  ServiceAccountRecord,
  serviceAccountRecord,
  SessionAnswer,
  TokenFields,
  UserRecord,
  userRecord,
  UserTypeName,
  Warnings,
} from './schema.ts'
export { createServiceAccount } from './service-account.ts'
export type { ServiceAccount } from './sql/keys.ts'
export { originOf, startSession, type Origin, type SessionStart, type TokenPair } from './session.ts'
export { demandStepUp, isProvedRecently } from './step-up.ts'
export { noteRefusedAdmin } from './tries.ts'
export { ACCESS_SECONDS } from './token.ts'
export { assertUsername, checkUsername } from './username.ts'
