import { approvals, requireStepUp } from '#identity'
import { accounts, post } from '#ledger'
import { audit, type Author } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney, type Leg } from '#platform/kernel/money'
import { chargebackView } from '../chargebacks/view.ts'
import { PAYMENTS } from '../errors.ts'
import { openOf, type Receivable } from './receivable.ts'
import * as statements from './sql.ts'

/** Kind of the approval of a large write-off; its payload is the whole order. */
const LARGE_WRITE_OFF = 'payments.receivable'

interface Order {
  chargebackId: string
  reason: string
}

/**
 * Gives up what is still owed from a lost chargeback; 403 without a fresh proof. Above `limit` (micro-units) nothing
 * moves: the admin asks for another admin's approval. ApiErrors: 404; 409 when nothing is owed.
 */
export async function writeOff(tx: Tx, ctx: RequestContext, order: Order, limit: bigint) {
  await requireStepUp(tx, ctx, tx.clock.real())
  const { debts, amount } = await lockOwed(tx, order)
  if (amount <= limit) {
    const journalId = await postWriteOff(tx, ctx, { ...order, debts, about: [] })
    return { chargeback: await chargebackView(tx, order.chargebackId), journalId }
  }
  const payload = { ...order, amount: formatMoney(amount) }
  const approval = await approvals.requestApproval(tx, ctx, { kind: LARGE_WRITE_OFF, payload })
  return { chargeback: await chargebackView(tx, order.chargebackId), journalId: null, approval }
}

/** Executes a write-off that another admin approved. */
export async function writeOffApproved(
  tx: Tx,
  { approvalId, payload, requestedBy, approvedBy }: approvals.ApprovedRequest,
): Promise<Record<string, string>> {
  const { chargebackId = '', reason = '' } = payload
  const { debts } = await lockOwed(tx, { chargebackId, reason })
  const journalId = await postWriteOff(
    tx,
    { by: ['admin', approvedBy] },
    { chargebackId, reason, debts, about: [requestedBy], details: { approvalId, requestedBy } },
  )
  return { journalId }
}

async function lockOwed(tx: Tx, { chargebackId }: Order): Promise<{ debts: Receivable[]; amount: bigint }> {
  await chargebackView(tx, chargebackId)
  const debts = await tx.rows(statements.lockOpenReceivablesOf(chargebackId))
  if (!debts.length)
    throw apiError(PAYMENTS.NOTHING_OWED, {
      hint: 'The chargeback was covered, recovered or written off: read it again',
    })
  return { debts, amount: debts.reduce((sum, debt) => sum + openOf(debt), 0n) }
}

interface WriteOff extends Order {
  debts: readonly Receivable[]
  about: readonly string[]
  details?: Record<string, string>
}

async function postWriteOff(
  tx: Tx,
  author: Author,
  { chargebackId, reason, debts, about, details }: WriteOff,
): Promise<string> {
  const legs = debts.map((debt): Leg => ({
    debit: accounts.chargebackLoss,
    credit: accounts.receivable(debt.ownerId),
    amount: openOf(debt),
    asset: debt.asset,
  }))
  const { id: journalId } = await post(tx, {
    kind: 'receivable_written_off',
    key: `chargeback/${chargebackId}/written-off`,
    legs,
    reference: { chargebackId },
  })
  for (const debt of debts) await tx.run(statements.addWrittenOff(debt.id, openOf(debt)))
  await audit(tx, author, 'chargeback.written_off', {
    target: ['chargeback', chargebackId],
    details: {
      amount: formatMoney(legs.reduce((sum, leg) => sum + leg.amount, 0n)),
      reason,
      journalId,
      ...details,
    },
    about: [...about, ...debts.map(debt => debt.ownerId)],
  })
  return journalId
}
