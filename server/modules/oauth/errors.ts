import { errorTable } from '#platform/kernel/errors'

export const OAUTH = errorTable({
  UNKNOWN_CLIENT: [400, 'Unknown client'],
  REDIRECT_NOT_REGISTERED: [400, 'The redirect address is not registered for this client'],
})

/** An error of RFC 6749; clients read its code. */
export class OAuthError extends Error {
  readonly code:
    | 'invalid_request'
    | 'invalid_client'
    | 'invalid_grant'
    | 'invalid_target'
    | 'unsupported_grant_type'

  constructor(code: OAuthError['code'], message: string) {
    super(message)
    this.name = 'OAuthError'
    this.code = code
  }
}
