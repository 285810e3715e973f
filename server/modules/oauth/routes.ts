import { Type } from '#platform/http/type'
import { nameFrom } from '#platform/http/display-name'
import { command, commandInSteps, query, type App } from '#platform/http/operations'
import { SCOPES } from '#platform/http/principal'
import { respond } from '#platform/http/response'
import { parseAmount } from '#platform/kernel/money'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { registerClient } from './client.ts'
import { describeClient, giveConsent, isResource } from './consent.ts'
import { OAuthError } from './errors.ts'
import { ClientQuery, ClientRecord, ConsentBody, ConsentGiven, Registration } from './schema.ts'
import { exchangeCode, refresh } from './token.ts'

const HOUR_SECONDS = 3600
/** Tokens must not be stored on their way (RFC 6749, 5.1). */
const NO_STORE = { 'cache-control': 'no-store' }
/** What follows RFCs is described by the metadata, not by the OpenAPI document. */
const protocol = { tag: 'Discovery', access: 'public', hidden: true } as const

export function oauthRoutes(app: App, services: Services): void {
  metadataRoute(app, services)
  registrationRoute(app, services)
  tokenRoute(app, services)
  consentRoutes(app, services)
}

function metadataRoute(app: App, { publicUrl }: Services): void {
  query(app, {
    ...protocol,
    method: 'GET',
    url: '/.well-known/oauth-authorization-server',
    id: 'getAuthorizationServerMetadata',
    summary: 'Get the metadata of the authorization server',
    databaseFree: true,
    success: [200, Type.Unknown()],
    run: async () => ({
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/app/authorize`,
      token_endpoint: `${publicUrl}/oauth/token`,
      registration_endpoint: `${publicUrl}/oauth/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: SCOPES,
      service_documentation: `${publicUrl}/docs/mcp.md`,
    }),
  })
}

function registrationRoute(app: App, services: Services): void {
  commandInSteps(app, {
    ...protocol,
    method: 'POST',
    url: '/oauth/register',
    id: 'registerOAuthClient',
    summary: 'Register a client (RFC 7591)',
    limit: { name: 'oauth-register', max: 60, windowSeconds: HOUR_SECONDS, per: 'ip' },
    body: Registration,
    success: [201, Type.Unknown()],
    run: async (_, __, { body }) => {
      const { redirect_uris: redirectUris, client_name: given } = body
      // Cleaned, not refused: a person reads it before the client is allowed, and as a name of a service account.
      const name = nameFrom(given) ?? 'A client without a name'
      return {
        client_id: registerClient(services, { name, redirectUris }),
        client_name: name,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      }
    },
  })
}

function tokenRoute(app: App, services: Services): void {
  command(app, {
    ...protocol,
    method: 'POST',
    url: '/oauth/token',
    id: 'issueOAuthToken',
    summary: 'Exchange a code or a refresh token for tokens (RFC 6749)',
    limit: { name: 'oauth-token', max: 600, windowSeconds: HOUR_SECONDS, per: 'ip' },
    rawBody: true,
    ignoreForm: true,
    success: [200, Type.Unknown()],
    run: async (tx, _, { http }) => {
      const form = new URLSearchParams(http.rawBody?.toString('utf8') ?? '')
      const answer = await tokensFor(tx, services, form)
      if (!(answer instanceof OAuthError)) return respond(answer, { headers: NO_STORE })
      const body = { error: answer.code, error_description: answer.message }
      return respond(body, { status: 400, headers: NO_STORE })
    },
  })
}

/** An error is returned, not thrown: what a second use of a code ends must last. */
async function tokensFor(tx: Tx, services: Services, form: URLSearchParams) {
  const need = (name: string): string => form.get(name) ?? ''
  const clientId = need('client_id')
  const resource = form.get('resource')
  if (resource !== null && !isResource(services, resource))
    return new OAuthError('invalid_target', `resource must be ${services.publicUrl}/mcp`)
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return exchangeCode(tx, services, {
        clientId,
        code: need('code'),
        verifier: need('code_verifier'),
        redirectUri: form.get('redirect_uri') ?? undefined,
      })
    case 'refresh_token':
      return refresh(tx, services, { clientId, refreshToken: need('refresh_token') })
    default:
      return new OAuthError(
        'unsupported_grant_type',
        'grant_type must be authorization_code or refresh_token',
      )
  }
}

function consentRoutes(app: App, services: Services): void {
  const common = { tag: 'Service accounts', access: { accept: ['jwt'] } } as const
  query(app, {
    ...common,
    method: 'GET',
    url: '/oauth/client',
    id: 'getOAuthClient',
    summary: 'Get what an OAuth client asks for',
    description:
      'For the page on which a person allows a client. 400 for a client or an address that is unknown.',
    query: ClientQuery,
    success: [200, ClientRecord],
    run: async (_, __, { query: asked }) => describeClient(services, asked),
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/oauth/authorizations',
    id: 'authorizeOAuthClient',
    summary: 'Allow an OAuth client to act for you',
    description:
      'Makes a code, which the client exchanges at `POST /oauth/token` within 10 minutes. The client then appears among your service accounts; revoking that ends its access. 409 if you have as many as you may have. A new password, a new address or a suspension ends a code that was not exchanged. Needs a fresh proof (`POST /auth/step-up`).',
    limit: { name: 'oauth-consent', max: 60, windowSeconds: HOUR_SECONDS, per: 'account' },
    body: ConsentBody,
    success: [201, ConsentGiven],
    errors: [409],
    run: (tx, ctx, { body: { spendingLimit, ...body } }) =>
      giveConsent(tx, services, ctx, {
        ...body,
        spendingLimit: parseAmount(spendingLimit, { field: 'spendingLimit', zero: true }),
      }),
  })
}
