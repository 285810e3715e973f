import { randomKey, type Settings } from './transport.ts'

/** What a sign-in returns: an access token for 15 minutes and a refresh token for the next one. */
export interface Session {
  accessToken: string
  refreshToken: string
}

export interface CredentialOptions {
  /** An `sk_`, `sa_` or `rk_` key, or an access token. */
  apiKey?: string | (() => string | Promise<string>) | undefined
  /** Signed in as a person: the access token is renewed when it has ended. */
  session?: Session | undefined
  /** A refresh token works once: store what this gets. */
  onSession?: ((session: Session) => void | Promise<void>) | undefined
}

const headersOf = (key: string): Record<string, string> =>
  key.startsWith('sa_') ? { 'x-agent-api-key': key } : key ? { authorization: `Bearer ${key}` } : {}

/** The credential of a client; `renew` exchanges a refresh token for the next session, with an Idempotency-Key. */
export function credentialOf(
  { apiKey = '', session, onSession }: CredentialOptions,
  renew: (refreshToken: string, idempotencyKey: string) => Promise<Session>,
): Settings['credential'] {
  let current = session
  let renewal: Promise<boolean> | undefined
  let renewals = 0
  // Until a renewal succeeds: the response to a failed one may be lost, and the same key returns it.
  let key = randomKey()
  const renewOnce = async (refreshToken: string): Promise<boolean> => {
    const { accessToken, refreshToken: next } = await renew(refreshToken, key)
    current = { accessToken, refreshToken: next }
    key = randomKey()
    renewals++
    await onSession?.(current)
    return true
  }
  return {
    headers: async () =>
      headersOf(current?.accessToken ?? (typeof apiKey === 'function' ? await apiKey() : apiKey)),
    renewals: () => renewals,
    refresh: async since => {
      if (!current) return false
      // A request that was sent before the last renewal is only sent again.
      if (renewals > since) return true
      // One renewal for all requests that wait: a second use of the token would end the session.
      renewal ??= renewOnce(current.refreshToken).finally(() => (renewal = undefined))
      return renewal
    },
  }
}
