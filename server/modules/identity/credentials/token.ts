import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { SECOND } from '#platform/kernel/clock'
import { apiError } from '#platform/kernel/errors'
import { randomToken } from '#platform/kernel/id'
import { memoizePerService, type Services } from '#platform/kernel/services'
import { IDENTITY } from '../errors.ts'
import { textOf } from '#platform/kernel/unknown'

/** The kinds of token, distinguished by the header `typ` (RFC 9068, RFC 8725): one never serves as another. */
const TYPES = { access: 'at+jwt', mfa: 'mfa+jwt', state: 'state+jwt' } as const
export type TokenKind = keyof typeof TYPES

const AGAIN = 'The token has expired: sign in again'
const HINTS: Record<TokenKind, string> = {
  access: 'The token has expired: refresh it with POST /auth/refresh, or sign in again',
  mfa: AGAIN,
  state: AGAIN,
}

export const ACCESS_SECONDS = 900
const AUDIENCE = 'svc'

export interface Tokens {
  /** A token of `kind` for `seconds`; `claims` should hold `sub`. */
  sign(kind: TokenKind, claims: Record<string, string>, seconds: number): string
  /** The claims of a good token of `kind`; ApiError 401 for any other. */
  verify(kind: TokenKind, token: string): Record<string, unknown>
  /** The public keys, RFC 7517. */
  jwks: { keys: Record<string, string>[] }
}

/** Signs and verifies with the key of this database, which is made on first use and stored sealed. */
export const tokensOf = memoizePerService(openTokens)

const makePrivateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

type Claims = Record<string, unknown>

/** Tokens of one kind whose signature is remembered. */
const REMEMBERED = 10_000

/**
 * Remembers what a token says until it expires. The library's own cache stores refused tokens too, each with an error and
 * its stack: made-up tokens would fill the memory and push the good ones out.
 */
function remembering(verify: (token: string) => Claims): (token: string) => Claims {
  const known = new Map<string, Claims>()
  return token => {
    const key = createHash('sha256').update(token).digest('base64')
    const claims = known.get(key)
    if (claims && Number(claims.exp) * SECOND > Date.now()) return claims
    known.delete(key)
    const proven = verify(token)
    const [oldest] = known.keys()
    if (known.size >= REMEMBERED && oldest) known.delete(oldest)
    known.set(key, proven)
    return proven
  }
}

/** The private key of this database, made when there is none. Throws if the master key is that of another database. */
export const openTokenKey = memoizePerService(({ secrets, db }: Services): Promise<string> =>
  secrets.stored(db, 'identity/token-key', makePrivateKey),
)

async function openTokens(services: Services): Promise<Tokens> {
  // With the first token: it would take 25 ms of each start.
  const { createSigner, createVerifier, TOKEN_ERROR_CODES } = await import('fast-jwt')
  const privateKey = await openTokenKey(services)
  const publicKey = createPublicKey(privateKey)
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  // No check of the issuer: several addresses may reach one database, and the key is that database's alone.
  const verifiers = Object.fromEntries(
    Object.entries(TYPES).map(([kind, checkTyp]) => [
      kind,
      remembering(
        createVerifier({
          key: publicPem,
          algorithms: ['EdDSA'],
          checkTyp,
          allowedAud: AUDIENCE,
          requiredClaims: ['exp', 'aud', 'sub', 'jti'],
        }) as (token: string) => Claims,
      ),
    ]),
  )
  const signers = Object.fromEntries(
    Object.entries(TYPES).map(([kind, typ]) => [
      kind,
      createSigner({
        key: privateKey,
        algorithm: 'EdDSA',
        kid,
        header: { alg: 'EdDSA', typ },
        iss: services.publicUrl,
        aud: AUDIENCE,
      }),
    ]),
  ) as Record<TokenKind, (claims: Record<string, string | number>) => string>
  return {
    sign(kind, claims, seconds) {
      const iat = Math.floor(Date.now() / 1000)
      return signers[kind]({ ...claims, jti: randomToken(12), iat, exp: iat + seconds })
    },
    verify(kind, token) {
      try {
        return verifiers[kind]?.(token) as Claims
      } catch (cause) {
        // A separate code for clients that refresh expired tokens; other invalid tokens cannot be refreshed.
        if (textOf(cause, 'code') === TOKEN_ERROR_CODES.expired)
          throw apiError(IDENTITY.TOKEN_EXPIRED, { cause, hint: HINTS[kind] })
        throw apiError(IDENTITY.TOKEN_INVALID, { cause, hint: 'The token is not valid: sign in again' })
      }
    },
    jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }] },
  }
}
