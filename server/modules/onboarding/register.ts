import { bindReferral, type Referral } from '#affiliates'
import { IDENTITY, type Account, registration } from '#identity'
import type { PublicContext } from '#platform/http/principal'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'

export interface Registration {
  email: string
  displayName: string
  password: string
  userType?: Account['userType']
  affiliateToken?: string
  /** Of the cookie that a link of an affiliate sets. */
  clickId?: string
}

/** Registers an account with its wallet, signs it in and binds it to the affiliate of its code. 409 for a taken email. */
export async function register(
  services: Services,
  ctx: PublicContext,
  input: Registration,
): Promise<{ account: Account; warnings: string[]; referral: Referral | null } & registration.TokenPair> {
  const { db, config } = services
  const { email, displayName, userType = 'HUMAN' } = input
  if (userType === 'AGENT' && !config.ENABLE_AGENT_SIGNUP) throw apiError(IDENTITY.AGENT_SIGNUP_DISABLED)
  const warnings = await registration.passwordWarnings(input.password, services, {
    about: [email, displayName],
  })
  const passwordHash = await registration.hashPassword(input.password, {
    ip: ctx.ip,
    account: email.toLowerCase(),
  })
  return db.transaction(async tx => {
    const account = await registration.createAccount(tx, { email, displayName, passwordHash, userType })
    const { affiliateToken: code, clickId } = input
    const referral = await bindReferral(tx, { accountId: account.id, code, clickId })
    await registration.sendVerification(tx, services, account, ctx.ip)
    return {
      account,
      warnings,
      referral,
      ...(await registration.startSession(
        tx,
        ctx,
        { accountId: account.id, method: 'registration' },
        services,
      )),
    }
  })
}
