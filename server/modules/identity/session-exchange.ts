import type { Config } from '#platform/config'
import { fault } from '#platform/fault'
import { sameText } from '#platform/secrets'
import type { Services } from '#platform/services'
import { accountOfExternal, type ExternalIdentity } from './external-identity.ts'
import { IDENTITY } from './faults.ts'
import type { Origin } from './session.ts'
import { signIn, type MfaAsked, type SignedIn } from './sign-in.ts'

/** Signs in whom the web front end vouches for. 401 for an identity that fits no account. */
export async function exchangeSession(
  services: Services,
  input: { identity: Partial<ExternalIdentity>; origin: Origin },
): Promise<MfaAsked | SignedIn> {
  const {
    identity: { provider, subject, ...rest },
    origin,
  } = input
  if (!provider || !subject)
    throw fault(IDENTITY.INVALID_EXTERNAL_IDENTITY, { hint: 'provider and subject are required' })
  return services.db.transaction(async tx =>
    signIn(tx, services, await accountOfExternal(tx, services, { ...rest, provider, subject }, origin), {
      method: 'session_exchange',
      origin,
    }),
  )
}

/** 401 without the secret that the operator gave to the web front end. */
export function demandInternalSecret({ INTERNAL_SECRET: secret }: Config, given: unknown): void {
  if (!secret || typeof given !== 'string' || !sameText(given, secret))
    throw fault(IDENTITY.INVALID_INTERNAL_SECRET, { hint: 'Send x-internal-secret' })
}
