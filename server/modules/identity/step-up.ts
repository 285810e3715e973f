import { audit } from '#platform/audit'
import { after, MINUTE } from '#platform/clock'
import type { Queryable } from '#platform/db'
import { fault, invalid } from '#platform/fault'
import { isBound, SCOPES, type Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { assertUsable } from './authenticator.ts'
import { IDENTITY } from './faults.ts'
import { hashOfKey, isWellFormedKey } from './key.ts'
import { isMfaEnabled, proveTotp } from './second-factor.ts'
import { inHashingSlot, passwordFits } from './password.ts'
import type { Origin } from './session.ts'
import { passwordHolderById } from './sql/accounts.ts'
import { keyHolder } from './sql/keys.ts'
import { provedAt, setProved } from './sql/mfa.ts'
import { withinTries } from './tries.ts'

/** How long a proof counts; a sign-in is one. */
const HOLDS = 5 * MINUTE

/** Before what a stolen session must not do: 403 unless its owner signed in or stepped up in the last five minutes. */
export async function demandStepUp(q: Queryable, { sessionId }: Actor, real: Date): Promise<void> {
  const session = sessionId ? await q.maybe(provedAt(sessionId)) : undefined
  if (!session || session.at <= after(real, -HOLDS)) {
    throw fault(IDENTITY.STEP_UP_REQUIRED, { hint: 'prove yourself again with POST /auth/step-up, then repeat this' })
  }
}

export interface Proof {
  password?: string
  totpCode?: string
  apiKey?: string
}

/**
 * Proves the owner of a session again: by TOTP where there is a second factor, else by password or an own sk_ key with
 * every scope, for the whole account. 401 otherwise.
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
    throw fault(IDENTITY.STEP_UP_REQUIRED, { hint: 'this account has a second factor, send totpCode' })
  }
  await prove(services, actor.accountId, proof, origin)
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

async function prove(services: Services, accountId: string, proof: Proof, origin: Origin): Promise<void> {
  const { password = '', totpCode, apiKey } = proof
  if (totpCode !== undefined) {
    const right = () => proveTotp(services, accountId, { code: totpCode, purpose: 'step-up' })
    const trial = { name: 'mfa' as const, accountId, origin }
    return withinTries(services, trial, async () => (await right()) || fault(IDENTITY.WRONG_SECOND_FACTOR))
  }
  const right = () =>
    apiKey === undefined ? ownPassword(services, accountId, password) : ownKey(services, accountId, apiKey)
  const trial = { name: 'step-up' as const, accountId, origin }
  await withinTries(services, trial, async () => (await right()) || fault(IDENTITY.INVALID_CREDENTIALS))
}

const ownPassword = ({ db }: Services, accountId: string, password: string): Promise<boolean> =>
  inHashingSlot(async () => passwordFits(password, (await db.one(passwordHolderById(accountId))).passwordHash))

async function ownKey({ db, clock }: Services, accountId: string, apiKey: string): Promise<boolean> {
  const holder = isWellFormedKey(apiKey) ? await db.maybe(keyHolder(hashOfKey(apiKey))) : undefined
  if (holder?.kind !== 'sk' || holder.accountId !== accountId) return false
  assertUsable(holder, clock.now())
  return !isBound(holder) && SCOPES.every(scope => holder.scopes?.includes(scope))
}
