import { faultTable, type FaultRow } from '#platform/fault'

export const IDENTITY = faultTable({
  INVALID_CREDENTIALS: [401, 'Invalid credentials'],
  INVALID_API_KEY: [401, 'Invalid API key'],
  KEY_REPLACED: [401, 'This key was replaced and its 24 hours are over'],
  TOKEN_EXPIRED: [401, 'Unauthorized'],
  KEY_TOO_NARROW: [403, 'Forbidden'],
  INVALID_REFRESH_TOKEN: [401, 'Invalid refresh token'],
  INVALID_LINK: [400, 'Invalid or expired token'],
  ACCOUNT_SUSPENDED: [403, 'Agent suspended'],
  EMAIL_TAKEN: [409, 'E-mail already registered'],
  USERNAME_TAKEN: [409, 'Username already exists'],
  AGENT_SIGNUP_DISABLED: [400, 'Agent sign-up disabled'],
  ACTIVE_KEY_EXISTS: [409, 'An active key exists'],
  SESSION_NOT_FOUND: [404, 'Session not found'],
  USER_NOT_FOUND: [404, 'User not found'],
  SERVICE_ACCOUNT_NOT_FOUND: [404, 'Service account not found'],
  SERVICE_ACCOUNT_REVOKED: [409, 'Service account is revoked'],
  TOO_MANY_KEYS: [409, 'Too many service accounts'],
  LAST_ADMIN: [409, 'The last admin must stay one'],
})

export const identityConstraints: Record<string, FaultRow> = {
  identity_account_email_taken: IDENTITY.EMAIL_TAKEN,
  identity_account_username_taken: IDENTITY.USERNAME_TAKEN,
  identity_key_one_active: IDENTITY.ACTIVE_KEY_EXISTS,
}
