import {
  ANONYMOUS,
  type PublicContext,
  type RequestContext,
  type SessionPrincipal,
} from '#platform/http/principal'

/** The context of a request with an access token, for tests that call commands without HTTP. */
export const sessionContext = (
  session: Pick<SessionPrincipal, 'accountId'> & Partial<SessionPrincipal>,
): RequestContext<SessionPrincipal> => ({
  principal: {
    via: 'session',
    userType: 'HUMAN',
    role: 'USER',
    sessionId: '00000000-0000-7000-8000-000000000000',
    ...session,
  },
  ip: '127.0.0.1',
  userAgent: null,
  requestId: 'test',
})

/** The context of a request without a credential. */
export const anonymousContext: PublicContext = {
  principal: ANONYMOUS,
  ip: '127.0.0.1',
  userAgent: null,
  requestId: 'test',
}
