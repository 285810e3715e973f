import { accounts, openAccounts, post } from '#ledger'
import { chargebacks } from '#payments'
import { requireStepUp } from '#identity'
import type { RequestContext } from '#platform/http/principal'
import { audit } from '#platform/kernel/audit'
import { after, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import { AFFILIATES } from '../errors.ts'
import { requireOther } from '../profile/administration.ts'
import { profileById } from '../sql.ts'
import { commissionMachine } from './commission-machine.ts'
import { planClawback } from './plan.ts'
import * as statements from './sql.ts'
import type { Commission } from './sql.ts'

/** Subscriber of `escrow.charged_back`: the payment of money that was released was lost, so its commission is too. */
export async function clawBackCommissionOfChargedBackEscrow(
  tx: Tx,
  {
    escrowId,
    chargebackId,
    lost,
    released,
  }: { escrowId: string; chargebackId: string; lost: bigint; released: bigint },
): Promise<void> {
  for (const commission of await tx.rows(statements.lockOfEscrow(escrowId))) {
    const amount = planClawback(commission, { lost, released })
    if (!amount) continue
    await takeBack(tx, { ...commission, chargebackId }, amount)
    if (commission.clawedBack + amount === commission.amount)
      await transition(tx, commissionMachine, commission, {
        event: 'claw_back',
        by: 'deal',
        set: { dueAt: null },
      })
  }
}

/** Posts what is taken back: out of the account where it is, or as a debt of the affiliate if it has been paid. */
async function takeBack(
  tx: Tx,
  commission: Commission & { accountId: string; chargebackId: string | null },
  amount: bigint,
): Promise<void> {
  const { id, profileId, accountId, chargebackId, status, currency: asset, escrowId } = commission
  const isPaid = status === 'PAID'
  const held =
    status === 'AVAILABLE' ? accounts.affiliatePayable(profileId) : accounts.affiliateHold(profileId)
  const debit = isPaid ? accounts.receivable(accountId) : held
  if (isPaid) await chargebacks.insertDebt(tx, { ownerId: accountId, chargebackId, asset, amount })
  await tx.run(statements.setClawedBack(id, amount, tx.now))
  await post(tx, {
    kind: 'commission_clawed_back',
    key: `commission/${id}/clawed-back/${commission.clawedBack}`,
    reference: { commissionId: id, escrowId },
    legs: [{ debit, credit: accounts.commission, amount, asset }],
  })
}

/**
 * An admin decides about suspected self-referral: `clear` starts the hold period, `confirm_fraud` takes the commission back.
 * 403 for a commission of their own.
 */
export async function decideFraud(
  tx: Tx,
  ctx: RequestContext,
  { id, event }: { id: string; event: 'clear' | 'confirm_fraud' },
): Promise<Commission> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const commission = isId(id) ? await tx.maybe(statements.lockCommission(id)) : undefined
  if (!commission) throw apiError(AFFILIATES.COMMISSION_NOT_FOUND)
  requireOther(ctx, await tx.one(profileById(commission.profileId)))
  const actorId = ctx.principal.accountId
  const dueAt = event === 'clear' ? after(tx.now, commission.holdDays * DAY) : null
  await transition(tx, commissionMachine, commission, { event, by: 'admin', actorId, set: { dueAt } })
  if (event === 'confirm_fraud') await takeBackFraud(tx, commission)
  await audit(tx, ctx, `affiliate.commission_${event}`, { target: ['commission', id] })
  return tx.one(statements.commissionById(id))
}

/** Timer: no admin has decided. */
export async function endUndecidedFraud(tx: Tx, id: string): Promise<void> {
  const commission = await tx.maybe(statements.lockCommission(id))
  if (commission?.status !== 'FRAUD_HOLD') return
  await transition(tx, commissionMachine, commission, {
    event: 'confirm_fraud',
    by: 'timer',
    set: { dueAt: null },
  })
  await takeBackFraud(tx, commission)
}

/** What is not paid yet leaves no debt. */
const NO_DEBT = { accountId: '', chargebackId: null }

const takeBackFraud = (tx: Tx, commission: Commission): Promise<void> =>
  takeBack(tx, { ...commission, ...NO_DEBT }, commission.amount - commission.clawedBack)

/** Gives up what an affiliate has earned and cannot be paid yet, because its account ends. */
export async function forfeit(tx: Tx, commissions: readonly Commission[]): Promise<void> {
  for (const commission of commissions) {
    const amount = commission.amount - commission.clawedBack
    if (amount) await takeBack(tx, { ...commission, ...NO_DEBT }, amount)
    await transition(tx, commissionMachine, commission, {
      event: 'claw_back',
      by: 'affiliate',
      set: { dueAt: null },
    })
  }
}

/** Timer: the hold period is over. It lasts until the bank has decided where one disputes the payment of the deal. */
export async function vestCommission(tx: Tx, id: string): Promise<void> {
  const commission = await tx.maybe(statements.lockCommission(id))
  if (commission?.status !== 'PENDING') return
  const { profileId, escrowId, currency: asset, amount, clawedBack } = commission
  if ((await tx.one(statements.disputedNow(escrowId))).disputed)
    return void (await tx.run(statements.postpone(id, after(tx.now, DAY))))
  await transition(tx, commissionMachine, commission, { event: 'vest', by: 'timer', set: { dueAt: null } })
  const credit = accounts.affiliatePayable(profileId)
  await openAccounts(tx, [{ account: credit, asset }])
  await post(tx, {
    kind: 'commission_available',
    key: `commission/${id}/available`,
    reference: { commissionId: id, escrowId },
    legs: [{ debit: accounts.affiliateHold(profileId), credit, amount: amount - clawedBack, asset }],
  })
}
