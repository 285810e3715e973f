import { accountById, requireStepUp } from '#identity'
import { answered, installationOf, keyedFingerprint, NoAnswer, processorOf, type connected } from '#payments'
import { audit } from '#platform/kernel/audit'
import { after, DAY, HOUR } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import type { Timer } from '#platform/kernel/background/timers'
import { accountMachine, type AccountStatus } from './account-machine.ts'
import * as statements from './sql.ts'
import type { PayoutAccount } from './sql.ts'
import { PAYOUTS } from '../errors.ts'
import { requestDestinationMail } from '../mail.ts'
import { ownerToRead, ownerToSpend, type Named, type Owner } from '../owner.ts'

const REFRESH_JOB = 'payouts.refresh-account'
const WEEK = 7 * DAY
/** How often an account is read whose report others store meanwhile. */
const READINGS = 5

export interface Setup extends Named {
  email?: string
  country?: string
  returnUrl?: string
  refreshUrl?: string
}

/**
 * Connects the owner's bank account at the processor, or returns another link to the onboarding of one that is
 * connected. Errors: 403 without step-up or without the right, 404 for an unknown owner, 409 if the processor rejected
 * the account, 503 without an answer; the next request continues with the same connection.
 */
export async function setUpPayouts(services: Services, ctx: RequestContext, setup: Setup) {
  const { db, publicUrl } = services
  const urls = {
    returnUrl: webAddress('returnUrl', setup.returnUrl) ?? `${publicUrl}/account`,
    refreshUrl: webAddress('refreshUrl', setup.refreshUrl) ?? `${publicUrl}/account`,
  }
  const prepared = await db.transaction(tx => prepareConnection(tx, ctx, setup))
  const processorAccountId = prepared.processorAccountId ?? (await connect(services, ctx, prepared))
  const account = await refreshAccount(services, prepared.id)
  if (account?.status === 'REJECTED')
    throw apiError(PAYOUTS.PAYOUT_ACCOUNT_REJECTED, {
      hint: 'The processor rejected this account, contact the operator of this service',
    })
  const { url } = await asked(processorOf(services).accounts.onboardingLink(processorAccountId, urls))
  return { accountId: processorAccountId, onboardingUrl: url, isReady: account?.status === 'ACTIVE' }
}

async function prepareConnection(tx: Tx, ctx: RequestContext, setup: Setup): Promise<PayoutAccount> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const owner = await ownerToSpend(tx, ctx, setup)
  const account = await lockDestination(tx, owner)
  await audit(tx, ctx, 'payout_account.set_up', {
    target: [owner.type.toLowerCase(), owner.id],
    details: { payoutAccountId: account.id },
  })
  if (account.processorAccountId !== null) return account
  const own = await accountById(tx, ctx.principal.accountId)
  const email = setup.email ?? (own?.email || null)
  const country = setup.country ?? null
  // Another id for other values: with the same id the processor would refuse them. An account that was made and never
  // named here stays empty there.
  const isSame = account.email === email && account.country === country
  const connectionId = isSame ? account.connectionId : newId()
  await tx.run(statements.setHolder(account.id, { accountId: owner.accountId, connectionId, email, country }))
  return tx.one(statements.accountById(account.id))
}

/** The row of an owner, created if need be, and locked. */
export async function lockDestination(tx: Tx, owner: Owner): Promise<PayoutAccount> {
  await tx.run(statements.insertAccount(newId(), newId(), owner, tx.now))
  return tx.one(statements.lockAccountOf(owner))
}

async function connect(services: Services, ctx: RequestContext, account: PayoutAccount): Promise<string> {
  const { connectionId: id, email, country } = account
  const installation = await installationOf(services)
  const { accountId } = await asked(
    processorOf(services).accounts.create({ id, installation, email, country }),
  )
  await services.db.transaction(async tx => {
    const row = await tx.one(statements.lockAccount(account.id))
    // A request at the same time stored it, or the owner lost the agent meanwhile.
    if (row.processorAccountId !== null || row.connectionId !== id) return
    await transition(tx, accountMachine, row, {
      event: 'connect',
      by: 'owner',
      actorId: ctx.principal.accountId,
      set: { processorAccountId: accountId, askAt: after(tx.now, HOUR), asks: 0 },
    })
    await requestDestinationMail(tx, services, row, 'bank')
  })
  return accountId
}

async function asked<T>(call: Promise<T>): Promise<T> {
  try {
    return await answered(call)
  } catch (cause) {
    if (!(cause instanceof NoAnswer)) throw cause
    throw apiError(PAYOUTS.PROCESSOR_SILENT, { hint: 'Nothing was paid out: try again', cause })
  }
}

function webAddress(field: string, url: string | undefined): string | undefined {
  if (url !== undefined && (!/^https?:\/\//i.test(url) || !URL.canParse(url)))
    throw invalid(`${field} must be an http or https URL`)
  return url
}

/** Where the money of an owner is paid out to, and what is still missing. */
export async function payoutStatus(q: Queryable, ctx: RequestContext, named: Named) {
  const owner = await ownerToRead(q, ctx, named)
  const account = await q.maybe(statements.accountOf(owner))
  const status = account?.status ?? 'NOT_CONNECTED'
  return {
    accountId: account?.processorAccountId ?? null,
    status,
    isConnected: status !== 'NOT_CONNECTED',
    isPayoutsEnabled: status === 'ACTIVE',
    isReady: status === 'ACTIVE',
    requirements: account?.requirements ?? [],
    disabledReason: account?.disabledReason ?? null,
    toAddress: account?.address ?? null,
  }
}

/**
 * Reads the state of a connected account from the processor and stores it. It is read again if another reading was stored
 * meanwhile: either of the two may be the older one. ApiError 503 without an answer, or where that happens each time.
 */
export async function refreshAccount(services: Services, id: string): Promise<PayoutAccount | undefined> {
  const { db } = services
  for (let readings = 0; readings < READINGS; readings++) {
    const before = await db.maybe(statements.accountById(id))
    if (!before?.processorAccountId) return before
    const read = await asked(processorOf(services).accounts.read(before.processorAccountId))
    const bankFingerprints = read.bankFingerprints.map(each => keyedFingerprint(services, 'bank', each))
    const report = { ...read, bankFingerprints }
    const stored = await db.transaction(tx => storeReport(tx, services, before, report))
    if (stored) return stored
  }
  throw apiError(PAYOUTS.PROCESSOR_SILENT, { hint: 'The state of the account is changing: try again' })
}

/** Null if another report was stored since the row was read. */
async function storeReport(
  tx: Tx,
  services: Services,
  { id, reports }: PayoutAccount,
  report: connected.ConnectedAccount,
): Promise<PayoutAccount | null> {
  const account = await tx.one(statements.lockAccount(id))
  // It was disconnected while the processor was asked.
  if (account.processorAccountId !== report.accountId) return account
  if (account.reports !== reports) return null
  const status = statusOf(report)
  const askAt = status === 'REJECTED' ? null : after(tx.now, status === 'ACTIVE' ? WEEK : DAY)
  await tx.run(statements.setRequirements(id, { ...report, askAt, now: tx.now }))
  if (status === account.status) return tx.one(statements.accountById(id))
  if (status === 'ACTIVE') await requestDestinationMail(tx, services, account, 'bank')
  return transition(tx, accountMachine, account, { event: 'update', by: 'processor', to: status })
}

function statusOf({
  isDetailsSubmitted,
  isPayoutsEnabled,
  disabledReason,
}: connected.ConnectedAccount): AccountStatus {
  if (disabledReason?.startsWith('rejected')) return 'REJECTED'
  if (!isDetailsSubmitted) return 'PENDING'
  return isPayoutsEnabled ? 'ACTIVE' : 'RESTRICTED'
}

/** Asks about connected accounts once a day or week: a notification may have been lost. Without an answer, again in hours. */
export const accountTimer = ({ jobs }: Services): Timer => ({
  name: 'payout account refresh',
  table: 'payouts_account',
  column: 'ask_at',
  where: part`ask_at is not null`,
  async run(tx, id) {
    const account = await tx.one(statements.lockAccount(id))
    if (!account.askAt || account.askAt > tx.now) return
    await tx.run(statements.postponeAccount(id, after(tx.now, Math.min(HOUR * 2 ** account.asks, DAY))))
    await jobs.enqueue(tx, REFRESH_JOB, { id })
  },
})

export const accountJob = (services: Services): JobDefinition => ({
  name: REFRESH_JOB,
  handle: async ({ id }) => {
    await refreshAccount(services, String(id))
  },
})
