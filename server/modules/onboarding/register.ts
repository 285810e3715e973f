import { bindReferral, type Referral } from '#affiliates'
import {
  createAccount,
  hashPassword,
  IDENTITY,
  passwordWarnings,
  sendVerification,
  startSession,
  type Account,
  type Origin,
  type TokenPair,
  type UserType,
} from '#identity'
import { fault } from '#platform/fault'
import type { Services } from '#platform/services'

export interface Registration {
  email: string
  displayName: string
  password: string
  userType?: UserType
  affiliateToken?: string
}

/** POST /auth/register: an account with its wallet, signed in, bound to the affiliate whose code it brought. A taken e-mail is a 409. */
export async function register(
  services: Services,
  input: Registration,
  origin: Origin,
): Promise<{ account: Account; warnings: string[]; referral: Referral | null } & TokenPair> {
  const { db, config } = services
  const { email, displayName, userType = 'HUMAN' } = input
  if (userType === 'AGENT' && !config.ENABLE_AGENT_SIGNUP) throw fault(IDENTITY.AGENT_SIGNUP_DISABLED)
  const warnings = passwordWarnings(input.password, config, { about: [email, displayName] })
  const passwordHash = await hashPassword(input.password, { ip: origin.ip, account: email.toLowerCase() })
  return db.transaction(async tx => {
    const account = await createAccount(tx, { email, displayName, passwordHash, userType })
    const { affiliateToken: code } = input
    const referral = code === undefined ? null : await bindReferral(tx, { accountId: account.id, code })
    await sendVerification(tx, services, account, origin.ip)
    return { account, warnings, referral, ...(await startSession(tx, services, account, { method: 'registration', origin })) }
  })
}
