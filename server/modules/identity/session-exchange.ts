import { createHmac, timingSafeEqual } from 'node:crypto'
import { fault } from '#platform/fault'
import type { Services } from '#platform/services'
import { accountOfExternal, type ExternalIdentity } from './external-identity.ts'
import { IDENTITY } from './faults.ts'
import type { Origin } from './session.ts'
import { signIn, type MfaAsked, type SignedIn } from './sign-in.ts'

/**
 * Signs in whom the web front end vouches for. 401 without its shared secret, or for an identity that fits no account.
 */
export async function exchangeSession(
  services: Services,
  secret: unknown,
  input: { identity: Partial<ExternalIdentity>; origin: Origin },
): Promise<MfaAsked | SignedIn> {
  if (!isInternalSecret(services, secret))
    throw fault(IDENTITY.INVALID_INTERNAL_SECRET, { hint: 'send x-internal-secret' })
  const {
    identity: { provider, subject, ...rest },
    origin,
  } = input
  if (!provider || !subject)
    throw fault(IDENTITY.INVALID_EXTERNAL_IDENTITY, { hint: 'provider and subject are required' })
  return services.db.transaction(async tx =>
    signIn(tx, services, await accountOfExternal(tx, { ...rest, provider, subject }, origin), {
      method: 'session_exchange',
      origin,
    }),
  )
}

// Both are hashed with a key first: the comparison takes the same time whatever was sent.
function isInternalSecret({ config, secrets }: Services, given: unknown): boolean {
  const mark = (text: string) => createHmac('sha256', secrets.derive('identity/internal-secret')).update(text).digest()
  return (
    Boolean(config.INTERNAL_SECRET) &&
    typeof given === 'string' &&
    timingSafeEqual(mark(given), mark(config.INTERNAL_SECRET ?? ''))
  )
}
