import { accounts, unfreezeAccount } from '#ledger'
import { chargebacks } from '#payments'
import { annulCompletion } from '#trust'
import type { Queryable, Tx } from '#platform/kernel/db'
import { publish } from '#platform/kernel/events'
import { formatMoney } from '#platform/kernel/money'
import { requireWallet } from '#wallets'
import { lockFunded, openDisputeOf, type FundedDeal } from '../deal/deal.ts'
import { DealDraft } from '../deal/plan.ts'
import { heldOf, isLive, type EscrowRow, type Side } from '../deal/rows.ts'
import { escrowChargedBack } from '../events.ts'
import { freezeDeal, lostReason, unfreezeDeal } from './freeze.ts'
import { settleIntoChargeback } from './settle.ts'

/**
 * A chargeback of a payment that funded an escrow, whatever became of the escrow meanwhile. It is frozen until the dispute
 * is decided, and so is the wallet of the buyer if it has a part of the money. A lost amount is taken from the escrow, then from
 * the seller what was released to it, then from the buyer what was refunded to it. Money that arrived too late is in the
 * buyer's wallet. If less than the held amount is lost, an operator decides about the rest.
 */
export async function chargeBackEscrow(
  tx: Tx,
  step: chargebacks.ChargebackStep,
): Promise<chargebacks.ChargebackEffect> {
  const deal = await lockFunded(tx, step.reference)
  const { escrow } = deal
  if (escrow.status === 'CANCELLED')
    return chargebacks.chargeBackWalletFunding(tx, { ...step, reference: escrow.buyerWalletId })
  const { fromBuyer } = sharesOf(escrow, step)
  const sides: Side[] = fromBuyer ? ['seller', 'buyer'] : ['seller']
  const concerned = [...new Set(sides.flatMap(side => [...peopleOf(deal, side)]))]
  const reason = chargebacks.chargebackReason(step.disputeId)
  if (step.event === 'opened') {
    if (isLive(escrow)) await freezeDeal(tx, deal, reason)
    if (fromBuyer)
      await chargebacks.freezeDisputedWallet(tx, await requireWallet(tx, escrow.buyerWalletId), step)
    return { concerned }
  }
  await unfreezeAccount(tx, accounts.wallet(escrow.buyerWalletId), step.asset, reason)
  if (step.event === 'lost') return { concerned, parts: await lose(tx, deal, step) }
  if (escrow.freezes.includes(reason)) await unfreezeDeal(tx, deal, [reason], null)
  return { concerned }
}

function peopleOf({ negotiation, staff }: FundedDeal, side: Side): Iterable<string> {
  const organizationId = negotiation[`${side}OrganizationId`]
  return organizationId ? (staff.get(organizationId) ?? []) : [negotiation[`${side}AccountId`]]
}

interface Shares {
  held: bigint
  fromSeller: bigint
  fromBuyer: bigint
  /** Of what was released to the seller. */
  left: bigint
}

/** Who pays a disputed amount as the escrow is now. */
function sharesOf(escrow: EscrowRow, { amount, lostBefore }: chargebacks.ChargebackStep): Shares {
  const held = isLive(escrow) ? min(heldOf(escrow), amount) : 0n
  // An earlier dispute of the same payment may have taken a part of what was released.
  const before = escrow.released - (lostBefore.get(accounts.wallet(escrow.sellerWalletId)) ?? 0n)
  const fromSeller = min(before, amount - held)
  return { held, fromSeller, fromBuyer: amount - held - fromSeller, left: before - fromSeller }
}

async function lose(
  tx: Tx,
  deal: FundedDeal,
  step: chargebacks.ChargebackStep,
): Promise<chargebacks.LostPart[]> {
  const { chargebackId, disputeId } = step
  const { escrow, negotiation } = deal
  const { held, fromSeller, fromBuyer, left } = sharesOf(escrow, step)
  const { sellerAgentId: agentId, id: dealId } = negotiation
  const annuls = fromSeller > 0n && !isMostlyPaid(escrow, left)
  if (annuls && agentId) await annulCompletion(tx, { agentId, dealId })
  if (held) await takeHeld(tx, deal, { disputeId, amount: held })
  const { id: escrowId, released } = escrow
  if (fromSeller && !escrow.test)
    await publish(tx, escrowChargedBack, {
      escrowId,
      negotiationId: dealId,
      chargebackId,
      lost: fromSeller,
      released,
      annuls,
    })
  return [
    { account: accounts.escrow(escrow.id), amount: held, debtorId: null },
    {
      account: accounts.wallet(escrow.sellerWalletId),
      amount: fromSeller,
      debtorId: negotiation.sellerOrganizationId ?? negotiation.sellerAccountId,
    },
    {
      account: accounts.wallet(escrow.buyerWalletId),
      amount: fromBuyer,
      debtorId: negotiation.buyerOrganizationId ?? negotiation.buyerAccountId,
    },
  ]
}

/** Whether a bank took back so much of what a deal had paid to its seller that the deal does not count any more. */
export async function isAnnulled(q: Queryable, escrow: EscrowRow): Promise<boolean> {
  const lost = await chargebacks.lostOf(q, escrow.id)
  const fromSeller = lost.get(accounts.wallet(escrow.sellerWalletId)) ?? 0n
  return fromSeller > 0n && !isMostlyPaid(escrow, escrow.released - fromSeller)
}

/** As for a completion (`settlement-plan.ts`): at most a tenth is missing. */
const isMostlyPaid = ({ amount }: { amount: bigint }, remaining: bigint): boolean =>
  remaining * 10n >= amount * 9n

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
