import type { PublicContext } from '#platform/http/principal'
import type { Config } from '#platform/kernel/config'
import { apiError } from '#platform/kernel/errors'
import { sameText } from '#platform/kernel/secrets'
import type { Services } from '#platform/kernel/services'
import { IDENTITY } from '../errors.ts'
import { accountOfExternal, type ExternalIdentity } from './identity-provider/external-identity.ts'
import { signIn, type MfaRequired, type SignedIn } from './sign-in.ts'

/** Signs in the person whom the web front end has identified. 401 for an identity that no account can have. */
export async function exchangeSession(
  services: Services,
  ctx: PublicContext,
  { provider, subject, ...rest }: Partial<ExternalIdentity>,
): Promise<MfaRequired | SignedIn> {
  if (!provider || !subject)
    throw apiError(IDENTITY.INVALID_EXTERNAL_IDENTITY, { hint: 'provider and subject are required' })
  return services.db.transaction(async tx => {
    const account = await accountOfExternal(tx, ctx, { ...rest, provider, subject }, services)
    return signIn(tx, ctx, { account, method: 'session_exchange' }, services)
  })
}

/** 401 without the secret that the operator gave to the web front end. */
export function requireInternalSecret({ INTERNAL_SECRET: secret }: Config, given: unknown): void {
  if (!secret || typeof given !== 'string' || !sameText(given, secret))
    throw apiError(IDENTITY.INVALID_INTERNAL_SECRET, { hint: 'Send x-internal-secret' })
}
