import { accounts } from '#ledger'
import { chargebacks } from '#payments'
import type { Tx } from '#platform/kernel/db'
import { publish } from '#platform/kernel/events'
import { formatMoney } from '#platform/kernel/money'
import { lockFunded, openDisputeOf, type FundedDeal } from '../deal/deal.ts'
import { DealDraft } from '../deal/plan.ts'
import { heldOf, isLive } from '../deal/rows.ts'
import { escrowChargedBack } from '../events.ts'
import { freezeDeal, lostReason, unfreezeDeal } from './freeze.ts'
import { settleIntoChargeback } from './settle.ts'

/**
 * A chargeback of a payment that funded an escrow, whatever became of the escrow meanwhile. It is frozen until the dispute
 * is decided. A lost amount is taken from the escrow, then from the seller what was released to it, then from the buyer
 * what was refunded to it. Money that arrived too late is in the buyer's wallet. If less than the held amount is lost, an operator decides about the rest.
 */
export async function chargeBackEscrow(
  tx: Tx,
  step: chargebacks.ChargebackStep,
): Promise<chargebacks.ChargebackEffect> {
  const deal = await lockFunded(tx, step.reference)
  const { escrow } = deal
  if (escrow.status === 'CANCELLED')
    return chargebacks.chargeBackWalletFunding(tx, { ...step, reference: escrow.buyerWalletId })
  const concerned = [...sellersOf(deal)]
  const reason = chargebacks.chargebackReason(step.disputeId)
  if (step.event === 'lost') return { concerned, parts: await lose(tx, deal, step) }
  if (step.event === 'opened' && isLive(escrow)) await freezeDeal(tx, deal, reason)
  if (step.event === 'won' && escrow.freezes.includes(reason)) await unfreezeDeal(tx, deal, [reason], null)
  return { concerned }
}

function sellersOf({ negotiation, staff }: FundedDeal): Iterable<string> {
  const { sellerOrganizationId: organizationId, sellerAccountId } = negotiation
  return organizationId ? (staff.get(organizationId) ?? []) : [sellerAccountId]
}

async function lose(
  tx: Tx,
  deal: FundedDeal,
  { chargebackId, disputeId, amount, lostBefore }: chargebacks.ChargebackStep,
): Promise<chargebacks.LostPart[]> {
  const { escrow, negotiation } = deal
  const held = isLive(escrow) ? min(heldOf(escrow), amount) : 0n
  const seller = accounts.wallet(escrow.sellerWalletId)
  // An earlier dispute of the same payment may have taken a part of what was released.
  const fromSeller = min(escrow.released - (lostBefore.get(seller) ?? 0n), amount - held)
  if (held) await takeHeld(tx, deal, { disputeId, amount: held })
  const { id: escrowId, released } = escrow
  if (fromSeller && !escrow.test)
    await publish(tx, escrowChargedBack, { escrowId, chargebackId, lost: fromSeller, released })
  return [
    { account: accounts.escrow(escrow.id), amount: held, debtorId: null },
    {
      account: seller,
      amount: fromSeller,
      debtorId: negotiation.sellerOrganizationId ?? negotiation.sellerAccountId,
    },
    {
      account: accounts.wallet(escrow.buyerWalletId),
      amount: amount - held - fromSeller,
      debtorId: negotiation.buyerOrganizationId ?? negotiation.buyerAccountId,
    },
  ]
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Takes `amount` of the held money off the record of the escrow, which ends it or leaves the rest to an operator. */
async function takeHeld(
  tx: Tx,
  deal: FundedDeal,
  { disputeId, amount }: { disputeId: string; amount: bigint },
): Promise<void> {
  const isAll = amount === heldOf(deal.escrow)
  const reason = chargebacks.chargebackReason(disputeId)
  const frozen = await freezeDeal(tx, deal, isAll ? reason : lostReason(disputeId))
  const draft = new DealDraft(frozen, tx.now)
  const open = openDisputeOf(frozen)
  if (isAll && open) draft.setDispute(open.id, { endedAt: tx.now, outcome: 'REFUND' })
  await settleIntoChargeback(tx, frozen, {
    draft,
    amount,
    freezes: frozen.escrow.freezes.filter(each => each !== reason),
    details: { disputeId, amount: formatMoney(amount) },
  })
}
