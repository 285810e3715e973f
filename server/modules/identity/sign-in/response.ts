import { Type, type Static } from '#platform/http/type'
import type { HttpRequest } from '#platform/http/operation'
import { respond, type HttpResponse } from '#platform/http/response'
import { named } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { SessionAnswer, userRecord } from '../schema.ts'
import { deviceCookie } from './device.ts'
import type { MfaRequired, SignedIn } from './sign-in.ts'

export const MfaRequiredResponse = named(
  'MfaRequired',
  Type.Object({
    mfaRequired: Type.Literal(true, { description: 'Always true: `POST /auth/login/mfa` ends the sign-in' }),
    mfaToken: Type.String({ description: 'For POST /auth/login/mfa; 5 minutes, 5 tries' }),
  }),
)
/** The response of every operation that signs in. */
export const SignInResponse = named('SignInResult', Type.Union([SessionAnswer, MfaRequiredResponse]))

export const sessionBody = ({ account, ...pair }: SignedIn): Static<typeof SessionAnswer> => ({
  user: userRecord(account),
  ...pair,
})

export const signInBody = (result: SignedIn | MfaRequired): Static<typeof SignInResponse> =>
  'mfaToken' in result ? result : sessionBody(result)

/** The response of a sign-in, which sets the device cookie when the sign-in is complete. */
export const signInResponse = <Body>(
  services: Services,
  http: HttpRequest,
  result: SignedIn | MfaRequired,
  body: Body,
): HttpResponse<Body> =>
  respond(body, { cookies: 'account' in result ? [deviceCookie(services, http, result.account.id)] : [] })
