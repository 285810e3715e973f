import { DAY, MINUTE } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { randomToken } from '#platform/kernel/id'
import { PROCESSOR } from '../errors.ts'
import type { ConnectedAccount, ConnectedAccounts } from '../payout-port.ts'
import { bankOf, fingerprintOf, identityOf } from './banks.ts'
import type { Account, AccountLink } from './objects.ts'
import { insertObject, objectById, objectByKey, updateObject } from './sql.ts'
import type { Wire } from './wire.ts'

/** How long an onboarding link can be used. Real time. */
const LINK_MS = 10 * MINUTE
/** How long the identity check takes that is not decided at once. Business time. */
const CHECK_MS = DAY

const NEW_REQUIREMENTS = ['external_account', 'individual.id_number', 'individual.last_name']

export const sandboxAccounts = (wire: Wire): ConnectedAccounts => ({
  create: ({ id, installation, email, country }) =>
    wire.change(async tx => {
      const body: Account = {
        id: `acct_${randomToken(16)}`,
        object: 'account',
        type: 'express',
        email,
        country,
        details_submitted: false,
        payouts_enabled: false,
        requirements: { currently_due: NEW_REQUIREMENTS, disabled_reason: null },
        metadata: { ownerId: id, installation },
        bank: null,
      }
      const row = { id: body.id, kind: 'account' as const, key: id, status: 'new', body, at: tx.now }
      const made = (await tx.maybe(insertObject(row))) ?? (await tx.one(objectByKey('account', id)))
      return { accountId: made.id }
    }),
  onboardingLink: (accountId, { returnUrl, refreshUrl }) =>
    wire.change(async tx => {
      await wire.lock(tx, 'account', accountId)
      const { clock, publicUrl } = wire.context
      const id = `link_${randomToken(24)}`
      const body: AccountLink = {
        account: accountId,
        return_url: returnUrl,
        refresh_url: refreshUrl,
        expires_at: clock.real().getTime() + LINK_MS,
      }
      await tx.run(insertObject({ id, kind: 'account_link', key: id, status: 'open', body, at: tx.now }))
      return { url: `${publicUrl}/sandbox/onboarding/${id}` }
    }),
  read: accountId => wire.call(async () => accountOf((await requireAccount(wire, accountId)).body)),
})

async function requireAccount(wire: Wire, accountId: string) {
  const found = await wire.context.db.maybe(objectById('account', accountId))
  if (!found)
    throw apiError(PROCESSOR.PROCESSOR_OBJECT_NOT_FOUND, { hint: `there is no account ${accountId}` })
  return found
}

const accountOf = (body: Account): ConnectedAccount => ({
  accountId: body.id,
  isDetailsSubmitted: body.details_submitted,
  isPayoutsEnabled: body.payouts_enabled,
  requirements: body.requirements.currently_due,
  disabledReason: body.requirements.disabled_reason,
  bankFingerprints: body.bank === null ? [] : [fingerprintOf(body.bank)],
})

export interface OnboardingView {
  account: ConnectedAccount
  isExpired: boolean
  returnUrl: string
  refreshUrl: string
}

/** What the hosted onboarding page shows. ApiError 404. */
export async function readOnboarding(wire: Wire, linkId: string): Promise<OnboardingView> {
  const { body: link } = await requireLink(wire, linkId)
  return {
    account: accountOf((await requireAccount(wire, link.account)).body),
    isExpired: isExpired(wire, link),
    returnUrl: link.return_url,
    refreshUrl: link.refresh_url,
  }
}

async function requireLink(wire: Wire, linkId: string) {
  const found = await wire.context.db.maybe(objectById('account_link', linkId))
  if (!found)
    throw apiError(PROCESSOR.PROCESSOR_OBJECT_NOT_FOUND, {
      hint: 'use the address that the onboarding response contains',
    })
  return found
}

const isExpired = ({ context }: Wire, link: AccountLink): boolean =>
  context.clock.real().getTime() > link.expires_at

export interface Details {
  accountNumber: string
  idNumber: string
}

/**
 * The holder submits the bank account and an id number; returns when the notification was sent once. ApiErrors: 400 for
 * numbers that are not test numbers, 404, 409 for an expired link or a rejected account.
 */
export async function completeOnboarding(wire: Wire, linkId: string, details: Details) {
  const bank = bankOf(details.accountNumber)
  const result = identityOf(details.idNumber)
  const { body: link } = await requireLink(wire, linkId)
  if (isExpired(wire, link))
    throw apiError(PROCESSOR.PROCESSOR_STATE_CONFLICT, { hint: 'the link has expired: ask for a new one' })
  return wire.changeAndSend(async (tx, emit) => {
    const { body } = await wire.lock(tx, 'account', link.account)
    if (body.requirements.disabled_reason?.startsWith('rejected'))
      throw apiError(PROCESSOR.PROCESSOR_STATE_CONFLICT, { hint: 'the account is rejected' })
    const change = { ...afterCheck(result), details_submitted: true, bank: bank.number }
    const { body: updated } = await tx.one(updateObject('account', body.id, { status: result, body: change }))
    if (result === 'pending') await wire.schedule(tx, body.id, { kind: 'identity is checked', ms: CHECK_MS })
    await emit({ type: 'account.updated', object: { ...updated } })
    return accountOf(updated)
  })
}

const afterCheck = (
  result: ReturnType<typeof identityOf>,
): Pick<Account, 'payouts_enabled' | 'requirements'> => {
  const of = (disabled_reason: string | null, currently_due: string[] = []) => ({
    payouts_enabled: disabled_reason === null,
    requirements: { currently_due, disabled_reason },
  })
  if (result === 'pending') return of('requirements.pending_verification')
  if (result === 'restricted') return of('requirements.past_due', ['individual.verification.document'])
  return of(result === 'rejected' ? 'rejected.fraud' : null)
}

/** Task: an identity that was not decided at once is verified. */
export async function verifyIdentity(wire: Wire, tx: Tx, accountId: string): Promise<void> {
  const { status } = await wire.lock(tx, 'account', accountId)
  if (status !== 'pending') return
  const body = afterCheck('verified')
  const { body: updated } = await tx.one(updateObject('account', accountId, { status: 'verified', body }))
  await wire.emitter(tx)({ type: 'account.updated', object: { ...updated } })
}
