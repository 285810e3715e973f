import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { after, DAY, SECOND } from '#platform/clock'
import { fault } from '#platform/fault'
import { isBound, SCOPES } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { accountByUsername, type Account } from './account.ts'
import { assertUsable } from './authenticator.ts'
import { cookieOf } from './cookie.ts'
import { IDENTITY } from './faults.ts'
import { hashOfKey, isWellFormedKey } from './key.ts'
import { inHashingSlot } from './hashing-queue.ts'
import { hashPassword, needsRehash, passwordFits } from './password.ts'
import { isMfaEnabled } from './second-factor.ts'
import { signIn, type MfaAsked, type SignedIn } from './sign-in.ts'
import { startSession, type Origin, type TokenPair } from './session.ts'
import * as accounts from './sql/accounts.ts'
import { holdKey, isKeyOldest, keyHolder, type KeyHolder } from './sql/keys.ts'
import { noteFailure, noteLock, TRIES, WINDOW_SECONDS } from './tries.ts'

export interface LoginAttempt {
  email: string
  password: string
  /** What the device cookie holds, if anything. */
  deviceToken?: string
  origin: Origin
}

/**
 * Signs in by password, or asks for the second factor. Unknown e-mail and wrong password are one answer after the
 * same work. 10 tries in 15 minutes for each e-mail, and 10 of their own for each device that signed in before, so
 * that nobody locks its owner out.
 */
export async function login(services: Services, attempt: LoginAttempt): Promise<MfaAsked | SignedIn> {
  const { db } = services
  const { holder, passwordHash } = await provePassword(services, attempt)
  const renewed = needsRehash(passwordHash) ? await hashPassword(attempt.password, { ip: attempt.origin.ip, account: holder.id }) : null
  const result = await db.transaction(async tx => {
    const current = await tx.maybe(accounts.lockPasswordHolder(holder.id))
    if (current?.passwordHash !== passwordHash) return null
    if (renewed) await tx.run(accounts.setPassword(holder.id, renewed, tx.now))
    return signIn(tx, services, current, { method: 'password', origin: attempt.origin })
  })
  // Another password took its place meanwhile, and ended the sessions of the old one: prove it anew.
  return result ?? login(services, attempt)
}

// The try is counted before the password is looked at, and within the slot: however many come at once, no more than the
// limit are evaluated, and those of a person who signs in many times at once never fill it.
async function provePassword(services: Services, { email, password, deviceToken, origin }: LoginAttempt) {
  const { db, limits, secrets } = services
  return inHashingSlot({ ip: origin.ip, account: email.toLowerCase() }, async () => {
    const holder = await db.maybe(accounts.passwordHolder(email))
    const device = holder && knownDevice(services, deviceToken, holder.id)
    const subject = createHmac('sha256', secrets.derive('identity/login'))
      .update(email.toLowerCase())
      .digest('base64url')
    const key = `login:${subject}${device ? `:${device}` : ''}`
    const { remaining } = await limits.demand(key, TRIES, WINDOW_SECONDS)
    const passwordHash = holder?.passwordHash ?? null
    const fits = await passwordFits(password, passwordHash)
    if (fits && holder && passwordHash) {
      await limits.forget(key)
      return { holder, passwordHash }
    }
    // For unknown addresses too: the work is the same.
    if (remaining === TRIES - 1) await noteFailure(services, 'login.failed', holder?.id ?? null, origin)
    if (remaining === 0) await noteLock(services, 'login.locked', holder?.id ?? null, origin)
    throw fault(IDENTITY.INVALID_CREDENTIALS)
  })
}

/** How long an ended session keeps a newer key from proving anything: its thief may have ended it. */
const SUSPECT_FOR = DAY

/**
 * Signs an agent account in with its own key, which needs every scope and the whole account: an access token has no
 * limits. The sign-in counts as step-up only where the account has no second factor and no older session that could
 * have made the key.
 */
export async function agentLogin(
  services: Services,
  input: { username: string; apiKey: string; origin: Origin },
): Promise<{ account: Account } & TokenPair> {
  const { db, clock } = services
  const { username, apiKey, origin } = input
  const account = await accountByUsername(db, username)
  const hash = isWellFormedKey(apiKey) && apiKey.startsWith('sk_') ? hashOfKey(apiKey) : undefined
  const known = hash && (await db.maybe(keyHolder(hash)))
  if (!account || !hash || known?.accountId !== account.id) throw fault(IDENTITY.INVALID_CREDENTIALS)
  return db.transaction(async tx => {
    // The key is held and looked at again: ended or narrowed meanwhile it opens nothing, and later that ends this session.
    await tx.run(holdKey(known.keyId))
    const { keyId } = assertWhole(await tx.maybe(keyHolder(hash)), clock.now())
    const { oldest } = await tx.one(isKeyOldest(keyId, after(clock.real(), -SUSPECT_FOR)))
    const isProof = oldest && !(await isMfaEnabled(tx, account.id))
    return { account, ...(await startSession(tx, services, account, { method: 'agent_key', keyId, isProof, origin })) }
  })
}

function assertWhole(holder: KeyHolder | undefined, now: Date): KeyHolder {
  assertUsable(holder, now)
  const missing = SCOPES.filter(scope => !holder.scopes?.includes(scope))
  if (missing.length) throw fault(IDENTITY.KEY_TOO_NARROW, { hint: `The key lacks ${missing.join(', ')}` })
  if (isBound(holder)) throw fault(IDENTITY.KEY_TOO_NARROW, { hint: 'The key is bound to one agent or organization' })
  return holder
}

const cookieFor = (services: Pick<Services, 'publicUrl'>) => cookieOf(services, 'svc_device', '/auth')
const COOKIE_SECONDS = (365 * DAY) / SECOND

/**
 * A device that signed in keeps a cookie that says so; it proves no identity, only that its tries are counted apart.
 */
export const readDevice = (services: Pick<Services, 'publicUrl'>, request: FastifyRequest): string | undefined =>
  request.cookies[cookieFor(services).name]

export function keepDevice(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  accountId: string,
): void {
  const known = readDevice(services, request)
  const token = known && knownDevice(services, known, accountId) ? known : deviceTokenFor(services, accountId)
  const { name, options } = cookieFor(services)
  void reply.setCookie(name, token, { ...options, maxAge: COOKIE_SECONDS })
}

const deviceMac = ({ secrets }: Services, device: string, accountId: string): Buffer =>
  createHmac('sha256', secrets.derive('identity/device')).update(`${device} ${accountId}`).digest()

function deviceTokenFor(services: Services, accountId: string): string {
  const device = randomUUID()
  return `${device}.${deviceMac(services, device, accountId).toString('base64url')}`
}

function knownDevice(services: Services, token: string | undefined, accountId: string): string | null {
  const [device = '', mac = ''] = token?.split('.') ?? []
  const given = Buffer.from(mac, 'base64url')
  const expected = deviceMac(services, device, accountId)
  return given.length === expected.length && timingSafeEqual(given, expected) ? device : null
}
