import { audit } from '#platform/audit'
import { after, MINUTE } from '#platform/clock'
import type { Queryable } from '#platform/db'
import { fault, invalid, type Fault } from '#platform/fault'
import { isBound, SCOPES, type Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { assertUsable } from './authenticator.ts'
import { IDENTITY } from './faults.ts'
import { hashOfKey, isWellFormedKey } from './key.ts'
import { isMfaEnabled, proveTotp } from './second-factor.ts'
import { inHashingSlot } from './hashing-queue.ts'
import { passwordFits } from './password.ts'
import type { Origin } from './session.ts'
import { passwordHolderById } from './sql/accounts.ts'
import { isKeyOlder, keyHolder } from './sql/keys.ts'
import { provedAt, setProved } from './sql/mfa.ts'
import { withinTries } from './tries.ts'

/** How long a proof counts; a sign-in is one. */
const HOLDS = 5 * MINUTE

/**
 * Guards what a stolen session must not do: 403 unless the owner signed in or stepped up within five minutes (ADR 0009).
 * A key has no session: its scopes limit it.
 */
export async function demandStepUp(q: Queryable, actor: Actor, real: Date): Promise<void> {
  if (actor.kind === 'jwt' && !(await isProvedRecently(q, actor, real)))
    throw fault(IDENTITY.STEP_UP_REQUIRED, { hint: 'Prove your identity with POST /auth/step-up, then repeat the request' })
}

/** Whether the owner of a session signed in or stepped up within five minutes. */
export async function isProvedRecently(q: Queryable, { sessionId }: Actor, real: Date): Promise<boolean> {
  const session = sessionId ? await q.maybe(provedAt(sessionId)) : undefined
  return Boolean(session?.at && session.at > after(real, -HOLDS))
}

export interface Proof {
  password?: string
  totpCode?: string
  apiKey?: string
}

/**
 * Proves the owner of a session again: by TOTP where there is a second factor, else by password or an own sk_ key with
 * every scope, for the whole account, that is older than the session (403 for a newer one). 401 otherwise.
 */
export async function stepUp(
  services: Services,
  actor: Actor,
  proof: Proof,
  origin: Origin,
): Promise<{ validUntil: string }> {
  const { db, clock } = services
  if (Object.values(proof).filter(value => value !== undefined).length !== 1)
    throw invalid('give one of password, totpCode, apiKey')
  if (proof.totpCode === undefined && (await isMfaEnabled(db, actor.accountId))) {
    throw fault(IDENTITY.STEP_UP_REQUIRED, { hint: 'This account has a second factor, send totpCode' })
  }
  await prove(services, actor, proof, origin)
  const real = clock.real()
  await db.transaction(async tx => {
    await tx.run(setProved(actor.sessionId ?? '', real))
    await audit(tx, {
      action: 'session.stepped_up',
      actorId: actor.accountId,
      actorKind: actor.kind,
      target: 'session',
      targetId: actor.sessionId,
      ip: origin.ip,
      requestId: origin.requestId,
    })
  })
  return { validUntil: after(real, HOLDS).toISOString() }
}

async function prove(services: Services, actor: Actor, proof: Proof, origin: Origin): Promise<void> {
  const { accountId } = actor
  const { password = '', totpCode, apiKey } = proof
  if (totpCode !== undefined) {
    const right = () => proveTotp(services, accountId, { code: totpCode, purpose: 'step-up' })
    const trial = { name: 'mfa' as const, accountId, origin }
    return withinTries(services, trial, async () => (await right()) || fault(IDENTITY.WRONG_SECOND_FACTOR))
  }
  const right = () =>
    apiKey === undefined ? ownPassword(services, { accountId, ip: origin.ip }, password) : ownKey(services, actor, apiKey)
  const trial = { name: 'step-up' as const, accountId, origin }
  await withinTries(services, trial, async () => (await right()) || fault(IDENTITY.INVALID_CREDENTIALS))
}

const ownPassword = ({ db }: Services, { accountId, ip }: { accountId: string; ip: string }, password: string): Promise<boolean> =>
  inHashingSlot({ ip, account: accountId }, async () => passwordFits(password, (await db.one(passwordHolderById(accountId))).passwordHash))

async function ownKey({ db, clock }: Services, { accountId, sessionId }: Actor, apiKey: string): Promise<true | Fault> {
  const holder = isWellFormedKey(apiKey) ? await db.maybe(keyHolder(hashOfKey(apiKey))) : undefined
  if (holder?.kind !== 'sk' || holder.accountId !== accountId) return fault(IDENTITY.INVALID_CREDENTIALS)
  assertUsable(holder, clock.now())
  if (isBound(holder) || !SCOPES.every(scope => holder.scopes?.includes(scope))) return fault(IDENTITY.INVALID_CREDENTIALS)
  const { older } = await db.one(isKeyOlder(holder.keyId, sessionId ?? ''))
  return older || fault(IDENTITY.STEP_UP_REQUIRED, { hint: 'The key is newer than the session and does not prove your identity' })
}
