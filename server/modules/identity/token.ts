import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { createSigner, createVerifier, TOKEN_ERROR_CODES } from 'fast-jwt'
import { SECOND } from '#platform/clock'
import { fault } from '#platform/fault'
import { randomToken } from '#platform/id'
import type { Services } from '#platform/services'
import { IDENTITY } from './faults.ts'

/** The kinds of token, told apart by the header `typ` (RFC 9068, RFC 8725): one never serves as another. */
const TYPES = { access: 'at+jwt', mfa: 'mfa+jwt', state: 'state+jwt' } as const
export type TokenKind = keyof typeof TYPES

export const ACCESS_SECONDS = 900
const AUDIENCE = 'svc'

export interface Tokens {
  /** A token of `kind` for `seconds`; `claims` should hold `sub`. */
  sign(kind: TokenKind, claims: Record<string, string>, seconds: number): string
  /** The claims of a good token of `kind`; fault 401 for any other. */
  verify(kind: TokenKind, token: string): Record<string, unknown>
  /** The public keys, RFC 7517. */
  jwks: { keys: Record<string, string>[] }
}

type Parts = Pick<Services, 'secrets' | 'db' | 'publicUrl'>

const opened = new WeakMap<Parts['secrets'], Promise<Tokens>>()

/** Signs and verifies with the key of this database, made on first use and kept sealed. */
export function tokensOf(services: Parts): Promise<Tokens> {
  const known = opened.get(services.secrets)
  if (known) return known
  const tokens = open(services)
  opened.set(services.secrets, tokens)
  tokens.catch(() => opened.delete(services.secrets))
  return tokens
}

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

async function open({ secrets, db, publicUrl }: Parts): Promise<Tokens> {
  const privateKey = await secrets.stored(db, 'identity/token-key', makePrivateKey)
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
        iss: publicUrl,
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
        // Told apart for clients that refresh an expired one: a token that is no good otherwise stays so.
        if ((cause as { code?: string }).code === TOKEN_ERROR_CODES.expired)
          throw fault(IDENTITY.TOKEN_EXPIRED, { cause, hint: 'The token has expired' })
        throw fault(IDENTITY.TOKEN_INVALID, { cause, hint: 'The token is not valid' })
      }
    },
    jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }] },
  }
}
