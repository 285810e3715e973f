import type { Tx } from '#platform/kernel/db'
import type { FundedDeal } from '../deal/deal.ts'
import type { DealDraft } from '../deal/plan.ts'
import { cannot } from '../errors.ts'
import { planAbandonment, planFailure } from '../escrow/hold-plan.ts'
import { railOf } from './rails.ts'

/**
 * The buyer gives up a payment that nobody has made yet, to pay in another way or not at all. Nobody can pay it any more;
 * money that comes late goes to the buyer's wallet. 409 for a payment that is under way.
 */
export async function abandonFunding(
  tx: Tx,
  deal: FundedDeal,
  { action, actorId }: { action: string; actorId: string },
): Promise<DealDraft> {
  if (!(await endPayment(tx, deal)))
    throw cannot(action, deal.escrow.status, 'The payment is under way: wait until it has arrived or failed')
  return planAbandonment(deal, actorId, tx.now)
}

/** The same for a party whose account is deleted; a payment that is under way goes to the wallet. */
export async function endFunding(tx: Tx, deal: FundedDeal): Promise<DealDraft> {
  await endPayment(tx, deal)
  return planFailure(deal, 'system', tx.now)
}

const endPayment = async (tx: Tx, { escrow: { id, rail } }: FundedDeal): Promise<boolean> =>
  rail !== 'wallet' && railOf(rail).abandon(tx, id)
