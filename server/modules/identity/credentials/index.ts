export { auditRefusedAdmin } from '../mfa/attempts.ts'
export { createAuthenticator } from './authenticator.ts'
export { routingKeyProof } from '../ports.ts'
