import type { Configuration } from 'openid-client'
import { COMMON, ApiError, apiError } from '#platform/kernel/errors'
import type { PublicContext } from '#platform/http/principal'
import { MINUTE, SECOND } from '#platform/kernel/clock'
import { memoizePerService, type Services } from '#platform/kernel/services'
import { accountOfExternal, type ExternalIdentity } from './external-identity.ts'
import { IDENTITY } from '../../errors.ts'
import { signIn, type MfaRequired } from '../sign-in.ts'
import type { TokenPair } from '../../credentials/session.ts'
import { tokensOf } from '../../credentials/token.ts'

export const STATE_SECONDS = (10 * MINUTE) / SECOND
const TIMEOUT_SECONDS = 10
const CALLBACK = '/auth/identity-provider/callback'
const SEALED = 'oidc/verifier'

// Most services have no identity provider: the library is loaded with the first sign-in through one.
const loadClient = () => import('openid-client')

/** The provider's endpoints and keys, read once; 400 when none is configured, 503 while it does not answer. */
const providerOf = memoizePerService((services: Services): Promise<Configuration> => {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret } = services.config
  if (!issuer || !id || !secret)
    throw apiError(IDENTITY.PROVIDER_NOT_CONFIGURED, {
      hint: 'The operator must set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
    })
  return discover(issuer, id, secret).catch((cause: unknown) => {
    services.log.error({ err: cause }, 'the identity provider does not answer')
    throw apiError(COMMON.UNAVAILABLE, { hint: 'The identity provider does not respond: try again', cause })
  })
})

async function discover(issuer: string, id: string, secret: string): Promise<Configuration> {
  const client = await loadClient()
  return client.discovery(new URL(issuer), id, secret, client.ClientSecretBasic(secret), {
    execute: [
      // The signature of the ID token too, although it comes over TLS from the provider itself (ASVS 5, 6.8.2).
      client.enableNonRepudiationChecks,
      ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
    ],
    timeout: TIMEOUT_SECONDS,
  })
}

/**
 * Where to send the browser, and the cookie that only this browser will bring back. `clientState` is returned in the
 * fragment, so that the page can distinguish a sign-in that it started from a link of somebody else. `referralSource`: the code of
 * the affiliate to whom a new account is bound; without it, that of `clickId`.
 */
export async function beginOidc(
  services: Services,
  {
    clientState,
    referralSource,
    clickId,
    session,
  }: { clientState?: string; referralSource?: string; clickId?: string; session?: 'cookie' },
): Promise<{ location: string; cookie: string }> {
  const [provider, client] = await Promise.all([providerOf(services), loadClient()])
  const [verifier, state, nonce] = [
    client.randomPKCECodeVerifier(),
    client.randomState(),
    client.randomNonce(),
  ]
  const location = client.buildAuthorizationUrl(provider, {
    redirect_uri: services.publicUrl + CALLBACK,
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).href
  const claims = {
    sub: state,
    nonce,
    verifier: services.secrets.seal(verifier, SEALED),
    ...(clientState ? { clientState } : {}),
    ...(referralSource ? { referralSource } : {}),
    ...(clickId ? { clickId } : {}),
    ...(session ? { session } : {}),
  }
  return { location, cookie: (await tokensOf(services)).sign('state', claims, STATE_SECONDS) }
}

/**
 * Where to send the browser after the provider's answer: the tokens, or why there are none, are in the fragment, which no
 * server sees. For a session in cookies the tokens are in `pair` instead.
 */
export async function endOidc(
  services: Services,
  ctx: PublicContext,
  input: { url: string; cookie: string | undefined },
): Promise<Ending> {
  const provider = await providerOf(services)
  let state: Record<string, unknown> = {}
  const end = (outcome: Outcome): Ending =>
    state.session === 'cookie'
      ? endInConsole(services, outcome)
      : endInFragment(services, outcome, textOf(state.clientState))
  try {
    state = (await tokensOf(services)).verify('state', input.cookie ?? '')
    const identity = {
      ...(await identify(services, provider, { url: input.url, state })),
      referralCode: textOf(state.referralSource),
      clickId: textOf(state.clickId),
    }
    const result = await services.db.transaction(async tx => {
      const account = await accountOfExternal(tx, ctx, identity, services)
      return signIn(tx, ctx, { account, method: 'identity_provider' }, services)
    })
    return end(result)
  } catch (error) {
    return end({ error: await reasonOf(services, error) })
  }
}

type Outcome = TokenPair | MfaRequired | { error: string }

interface Ending {
  location: string
  /** The tokens, where they go into cookies. */
  pair: TokenPair | null
}

function endInFragment(
  { config, publicUrl }: Services,
  outcome: Outcome,
  clientState: string | undefined,
): Ending {
  const fragment = new URLSearchParams(fragmentOf(outcome))
  if (clientState) fragment.set('clientState', clientState)
  return { location: `${config.FRONTEND_URL ?? publicUrl}/auth/done#${fragment.toString()}`, pair: null }
}

function fragmentOf(outcome: Outcome): Record<string, string> {
  if ('error' in outcome) return { error: outcome.error }
  if ('mfaToken' in outcome) return { mfaRequired: 'true', mfaToken: outcome.mfaToken }
  const { accessToken, refreshToken, expiresIn } = outcome
  return { accessToken, refreshToken, expiresIn: String(expiresIn) }
}

// At the public address: the cookies belong to its host.
function endInConsole({ publicUrl }: Services, outcome: Outcome): Ending {
  if ('error' in outcome)
    return { location: `${publicUrl}/login?error=${encodeURIComponent(outcome.error)}`, pair: null }
  if ('mfaToken' in outcome)
    return { location: `${publicUrl}/login#mfaToken=${outcome.mfaToken}`, pair: null }
  return { location: `${publicUrl}/app`, pair: outcome }
}

async function identify(
  services: Services,
  provider: Configuration,
  { url, state: { sub: expectedState, nonce, verifier } }: { url: string; state: Record<string, unknown> },
): Promise<ExternalIdentity> {
  const client = await loadClient()
  const tokens = await client.authorizationCodeGrant(provider, new URL(services.publicUrl + url), {
    expectedState: String(expectedState),
    expectedNonce: String(nonce),
    pkceCodeVerifier: services.secrets.open(String(verifier), SEALED),
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  const subject = claims?.sub ?? ''
  const { userinfo_endpoint: userinfo } = provider.serverMetadata()
  const person = {
    ...claims,
    ...(userinfo ? await client.fetchUserInfo(provider, tokens.access_token, subject) : {}),
  }
  return {
    provider: provider.serverMetadata().issuer,
    subject,
    email: textOf(person.email),
    // Some providers send it as text.
    emailVerified: person.email_verified === true || (person.email_verified as unknown) === 'true',
    name: textOf(person.name),
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** The code that goes into the address. What a library or the provider says stays in the log, by its code alone. */
async function reasonOf({ log }: Services, error: unknown): Promise<string> {
  const client = await loadClient()
  if (error instanceof client.AuthorizationResponseError)
    return error.error === 'access_denied' ? 'SIGN_IN_CANCELLED' : 'PROVIDER_REFUSED'
  if (error instanceof ApiError) return error.row.code
  const { code, name } = error as { code?: string; name?: string }
  log.warn({ code, name }, 'sign-in by the identity provider failed')
  return 'SIGN_IN_FAILED'
}
