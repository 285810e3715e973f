import './events.ts'

export { accountByEmail, accountById, accountByUsername, createAccount, type Account, type NewAccount, type Role, type UserType } from './account.ts'
export { agentKeysRevoked, hasActiveAgentKey, issueAgentKey } from './agent-key.ts'
export { createAuthenticator } from './authenticator.ts'
export { firstAdminLink } from './first-admin.ts'
export { identityModule } from './module.ts'
export { startSession, type Origin, type SessionStart, type TokenPair } from './session.ts'
