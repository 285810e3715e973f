import { serviceAccounts } from '#identity'
import { Type } from '#platform/http/type'
import { AmountIn, named } from '#platform/http/schema'

const ClientId = Type.String({ minLength: 1, maxLength: 4000, description: 'Id from `POST /oauth/register`' })
const RedirectUri = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'Address of the client that gets the code, as it was registered',
  examples: ['http://127.0.0.1:8765/callback'],
})
const Scope = Type.Optional(
  Type.String({
    maxLength: 500,
    description: 'Scopes with spaces between; all by default, and unknown ones are left out',
    examples: ['agent:read ap2:negotiate ap2:execute'],
  }),
)
const Scopes = {
  ...serviceAccounts.ServiceAccountRecord.properties.scopes,
  description: 'What the client may do',
}

/** RFC 7591; further members are ignored. */
export const Registration = Type.Object({
  redirect_uris: Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), { minItems: 1, maxItems: 10 }),
  client_name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
})

export const ClientQuery = Type.Object({ clientId: ClientId, redirectUri: RedirectUri, scope: Scope })
export const ClientRecord = named(
  'OAuthClient',
  Type.Object({
    name: Type.String({
      maxLength: 100,
      description: 'Name that the client gave itself: nobody checked it',
      examples: ['Assistant'],
    }),
    redirectUri: { ...RedirectUri, description: 'Where the code goes' },
    scopes: Scopes,
  }),
)

export const ConsentBody = Type.Object({
  clientId: ClientId,
  redirectUri: RedirectUri,
  codeChallenge: Type.String({
    pattern: '^[A-Za-z0-9_-]{43}$',
    description: 'SHA-256 of the verifier of the client, in base64url (PKCE, method S256)',
    examples: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
  }),
  scope: Scope,
  state: Type.Optional(
    Type.String({
      maxLength: 2000,
      description: 'Returned to the client unchanged',
      examples: ['af0ifjsldkj'],
    }),
  ),
  resource: Type.Optional(
    Type.String({
      maxLength: 2000,
      description: 'The address of `/mcp`',
      examples: ['http://localhost:3000/mcp'],
    }),
  ),
  spendingLimit: {
    ...AmountIn,
    description: 'The most that the client may pay into escrow in all, in USD; 0 for nothing',
    examples: ['50.00'],
  },
})
export const ConsentGiven = named(
  'OAuthAuthorization',
  Type.Object({
    redirectUrl: Type.String({
      minLength: 1,
      description: 'Address of the client with the code: the browser goes there',
      examples: ['http://127.0.0.1:8765/callback?code=kQ2&state=af0ifjsldkj'],
    }),
  }),
)
