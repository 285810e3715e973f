import { audit } from '#platform/audit'
import { after, MINUTE, SECOND } from '#platform/clock'
import type { Queryable } from '#platform/db'
import { fault, invalid } from '#platform/fault'
import { isBound, SCOPES, type Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { assertUsable } from './authenticator.ts'
import { IDENTITY } from './faults.ts'
import { hashOfKey, isWellFormedKey } from './key.ts'
import { isMfaEnabled, proveTotp, withinTries } from './second-factor.ts'
import { inHashingSlot, passwordFits } from './password.ts'
import type { Origin } from './session.ts'
import { passwordHolderById } from './sql/accounts.ts'
import { keyHolder } from './sql/keys.ts'
import { provedAt, setProved } from './sql/mfa.ts'

/** How long a proof counts; a sign-in is one. */
const HOLDS = 5 * MINUTE
const TRIES = 10
const WINDOW_SECONDS = (15 * MINUTE) / SECOND

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
  await prove(services, actor, proof)
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

async function prove(services: Services, { accountId }: Actor, { password, totpCode, apiKey }: Proof): Promise<void> {
  if (totpCode !== undefined) {
    return withinTries(
      services,
      accountId,
      async () =>
        (await proveTotp(services, accountId, { code: totpCode, purpose: 'step-up' })) ||
        fault(IDENTITY.WRONG_SECOND_FACTOR),
    )
  }
  const key = `step-up:${accountId}`
  await services.limits.demand(key, TRIES, WINDOW_SECONDS)
  if (
    !(await (apiKey === undefined
      ? ownPassword(services, accountId, password ?? '')
      : ownKey(services, accountId, apiKey)))
  ) {
    throw fault(IDENTITY.INVALID_CREDENTIALS)
  }
  await services.limits.forget(key)
}

const ownPassword = ({ db }: Services, accountId: string, password: string): Promise<boolean> =>
  inHashingSlot(async () => passwordFits(password, (await db.one(passwordHolderById(accountId))).passwordHash))

async function ownKey({ db, clock }: Services, accountId: string, apiKey: string): Promise<boolean> {
  const holder = isWellFormedKey(apiKey) ? await db.maybe(keyHolder(hashOfKey(apiKey))) : undefined
  if (holder?.kind !== 'sk' || holder.accountId !== accountId) return false
  assertUsable(holder, clock.now())
  return !isBound(holder) && SCOPES.every(scope => holder.scopes?.includes(scope))
}
