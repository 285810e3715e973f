import { approvals, organizations } from '#identity'
import { audit } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import { allowedEvents, transition, type Transition } from '#platform/kernel/machine'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { PAYOUTS } from '../errors.ts'
import { requestPayoutMail } from '../mail.ts'
import { payoutView } from './history.ts'
import { payoutMachine, type PayoutActor, type PayoutEvent } from './payout-machine.ts'
import * as statements from './sql.ts'
import type { Payout, Unsent } from './sql.ts'
import { postPayout } from './posting.ts'
import { isSuspended, isWalletFrozen } from './pursue.ts'

/** Cancels a payout that has not been sent. Errors: 404, 403 for another account, 409 once it is sent or has ended. */
export async function cancelPayout(tx: Tx, services: Services, ctx: RequestContext, id: string) {
  const found = isId(id) ? await tx.maybe(statements.payoutById(id)) : undefined
  if (!found) throw apiError(PAYOUTS.PAYOUT_NOT_FOUND)
  const { accountId } = ctx.principal
  if (found.ownerType === 'ORGANIZATION') await organizations.requireStaff(tx, ctx, found.ownerId)
  else if (found.accountId !== accountId)
    throw apiError(COMMON.FORBIDDEN, { hint: 'The payout belongs to another account' })
  const payout = await lockToCancel(tx, found)
  const canceled = await cancel(tx, payout, { event: 'cancel', by: 'owner', actorId: accountId })
  await audit(tx, ctx, 'payout.canceled', {
    target: ['payout', id],
    details: { amount: formatMoney(canceled.amount) },
    about: [canceled.accountId],
  })
  await requestPayoutMail(tx, services, canceled)
  return payoutView(canceled)
}

/** For a destination that ends: the same for each of these payouts that is not sent by now. Returns those that it canceled. */
export async function cancelUnsent(
  tx: Tx,
  payouts: readonly Unsent[],
  set: Partial<Pick<Payout, 'failureCode' | 'failureMessage'>> = {},
): Promise<Payout[]> {
  const canceled: Payout[] = []
  for (const unsent of payouts) {
    const payout = await lockToCancel(tx, unsent)
    if (allowedEvents(payoutMachine, payout.status, ['system']).includes('cancel'))
      canceled.push(await cancel(tx, payout, { event: 'cancel', by: 'system', set }))
  }
  return canceled
}

/** Locks a payout after its approval, in the order in which a decision about the approval locks them, and withdraws that. */
async function lockToCancel(tx: Tx, { id, approvalId }: Unsent): Promise<Payout> {
  if (approvalId !== null) await approvals.withdrawApproval(tx, approvalId)
  return tx.one(statements.lockPayout(id))
}

async function cancel(tx: Tx, payout: Payout, change: Transition<PayoutEvent, PayoutActor>): Promise<Payout> {
  const canceled = await transition(tx, payoutMachine, payout, {
    ...change,
    set: { ...change.set, completedAt: tx.now, dueAt: null },
  })
  await postPayout(tx, canceled)
  return canceled
}

/** Lets a payout go that an admin approved. ApiErrors 409: it was canceled, its account or agent is suspended, or its wallet is frozen. */
export async function releaseApprovedPayout(
  tx: Tx,
  { payload, approvedBy }: approvals.ApprovedRequest,
): Promise<Record<string, string>> {
  const payout = await tx.one(statements.lockPayout(payload.payoutId ?? ''))
  if (await isSuspended(tx, payout))
    throw apiError(PAYOUTS.PAYOUT_OWNER_SUSPENDED, {
      hint: 'Reinstate the account or the agent first, or reject the payout',
    })
  if (payout.status === 'REVIEW' && (await isWalletFrozen(tx, payout)))
    throw apiError(PAYOUTS.PAYOUT_WALLET_FROZEN, {
      hint: 'Wait until its freeze ends, or reject the payout',
    })
  await transition(tx, payoutMachine, payout, {
    event: 'approve',
    by: 'admin',
    actorId: approvedBy,
    set: { dueAt: tx.now },
  })
  return { payoutId: payout.id }
}

/** Subscriber of `approval.ended`: the money of a payout that no admin approved goes back to its wallet, with a mail. */
export const cancelPayoutOfEndedApproval =
  (services: Services) =>
  async (tx: Tx, { kind, payload, status }: approvals.EndedApproval): Promise<void> => {
    if (kind !== 'payouts.payout') return
    const payout = await tx.one(statements.lockPayout(payload.payoutId ?? ''))
    if (payout.status !== 'REVIEW') return
    const [by, failureMessage] =
      status === 'REJECTED'
        ? (['admin', 'The review rejected the payout'] as const)
        : (['timer', 'Nobody reviewed the payout in time'] as const)
    const set = { failureCode: status.toLowerCase(), failureMessage }
    await requestPayoutMail(tx, services, await cancel(tx, payout, { event: 'reject', by, set }))
  }
