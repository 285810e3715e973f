import { agentById } from '#agents'
import { accountById, organizations } from '#identity'
import { accounts, ledgerOwners, lockBalances } from '#ledger'
import { NoAnswer } from '#payments'
import { after, HOUR } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { findEdge, transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import type { Timer } from '#platform/kernel/background/timers'
import { requestPayoutMail } from '../mail.ts'
import { payoutMachine, type PayoutEvent } from './payout-machine.ts'
import * as statements from './sql.ts'
import type { Payout } from './sql.ts'
import { eraseIfOwnerDeleted } from './erase.ts'
import { postPayout } from './posting.ts'
import { nextAsk, reportOf, type RailReport } from './rails.ts'

const PURSUE_JOB = 'payouts.pursue'

export const payoutTimer = (services: Services): Timer => ({
  name: 'payout due',
  table: 'payouts_payout',
  column: 'due_at',
  where: part`due_at is not null`,
  run: (tx, id) => pursueDue(tx, services, id),
})

/** Claims a requested payout, so that nobody can cancel it any more, and lets the job ask the rail. */
async function pursueDue(tx: Tx, services: Services, id: string): Promise<void> {
  const payout = await tx.one(statements.lockPayout(id))
  if (!payout.dueAt || payout.dueAt > tx.now) return
  if (payout.status === 'REQUESTED') {
    if (await isSuspended(tx, payout))
      return void (await tx.run(statements.postpone(id, after(tx.now, HOUR))))
    if (await isWalletFrozen(tx, payout)) return returnToFrozenWallet(tx, services, payout)
    await transition(tx, payoutMachine, payout, {
      event: 'send',
      by: 'timer',
      set: { sentAt: tx.now, dueAt: nextAsk({ ...payout, status: 'PENDING', asks: 0 }, tx.now), asks: 0 },
    })
  } else await tx.run(statements.postpone(id, nextAsk({ ...payout, asks: payout.asks + 1 }, tx.now)))
  await services.jobs.enqueue(tx, PURSUE_JOB, { payoutId: id })
}

/**
 * A suspended account or agent pays nothing out, nor does an organization that only suspended accounts run: what was requested
 * waits until an operator reinstates one of them.
 */
export async function isSuspended(tx: Tx, { accountId, ownerType, ownerId }: Payout): Promise<boolean> {
  if (ownerType === 'ORGANIZATION') return !(await organizations.hasActiveStaff(tx, ownerId))
  if ((await accountById(tx, accountId))?.status === 'SUSPENDED') return true
  return ownerType === 'AGENT' && (await agentById(tx, ownerId))?.status === 'SUSPENDED'
}

/** Its money may have to go back to a bank. No freeze begins until the transaction ends. */
export async function isWalletFrozen(tx: Tx, { walletId, currency }: Payout): Promise<boolean> {
  const account = accounts.wallet(walletId)
  await lockBalances(tx, [account], currency)
  return (await ledgerOwners.freezesOf(tx, account, currency)).length > 0
}

async function returnToFrozenWallet(tx: Tx, services: Services, payout: Payout): Promise<void> {
  const set = {
    failureCode: 'wallet_frozen',
    failureMessage: 'The wallet is frozen',
    completedAt: tx.now,
    dueAt: null,
  }
  const canceled = await transition(tx, payoutMachine, payout, { event: 'cancel', by: 'system', set })
  await postPayout(tx, canceled)
  await requestPayoutMail(tx, services, canceled)
}

export const payoutJob = (services: Services): JobDefinition => ({
  name: PURSUE_JOB,
  handle: ({ payoutId }) => pursue(services, String(payoutId)),
})

// Without an answer the timer asks again.
async function pursue(services: Services, payoutId: string): Promise<void> {
  try {
    await pursueSent(services, payoutId)
  } catch (err) {
    if (!(err instanceof NoAnswer)) throw err
    services.log.warn({ err, payout: payoutId }, 'payout: no answer, the rail will be asked again')
  }
}

/**
 * Asks the rail what became of a payout and books it; returns the outcome in a word. Changes nothing of a payout that is
 * not sent or has ended for good. Throws NoAnswer.
 */
export async function pursueSent(
  services: Services,
  payoutId: string,
): Promise<'booked' | 'known' | 'unmatched'> {
  const { db } = services
  const payout = await db.maybe(statements.payoutById(payoutId))
  if (!payout) return 'unmatched'
  if (!canChange(payout)) return 'known'
  const report = await reportOf(services, payout)
  return db.transaction(tx => book(tx, services, payoutId, report))
}

const canChange = ({ status }: Payout): boolean => ['PENDING', 'IN_TRANSIT', 'PAID'].includes(status)

const EVENTS: Partial<Record<RailReport['state'], PayoutEvent>> = {
  in_transit: 'transmit',
  paid: 'pay',
  failed: 'fail',
  canceled: 'cancel',
}

/**
 * Moves a payout to what the rail reports, with its posting. An older report than the one that was booked changes
 * nothing: reports may arrive in any order. After PAID a failure returns the money.
 */
async function book(tx: Tx, services: Services, id: string, report: RailReport): Promise<'booked' | 'known'> {
  const payout = await tx.one(statements.lockPayout(id))
  const { transferId, bankPayoutId, failure } = report
  const isBack = report.state === 'failed' || report.state === 'canceled'
  const event = payout.status === 'PAID' && isBack ? 'return' : EVENTS[report.state]
  const edge = event && findEdge(payoutMachine, payout.status, { event, by: 'rail' })
  if (!event || !edge) {
    if (transferId !== null) await tx.run(statements.setRailIds(id, transferId, bankPayoutId))
    return 'known'
  }
  const isEnd = edge.to !== 'IN_TRANSIT'
  const moved = await transition(tx, payoutMachine, payout, {
    event,
    by: 'rail',
    ...(failure && isBack ? { details: { code: failure.code } } : {}),
    set: {
      transferId: transferId ?? payout.transferId,
      bankPayoutId: bankPayoutId ?? payout.bankPayoutId,
      ...(isBack ? { failureCode: failure?.code ?? null, failureMessage: failure?.message ?? null } : {}),
      dueAt: isBack ? null : nextAsk({ ...payout, status: edge.to, asks: 0 }, tx.now),
      asks: 0,
      ...(isEnd ? { completedAt: tx.now } : {}),
    },
  })
  if (isEnd) await postPayout(tx, moved, report)
  if (isEnd) await requestPayoutMail(tx, services, moved)
  if (isBack) await eraseIfOwnerDeleted(tx, moved)
  return 'booked'
}
