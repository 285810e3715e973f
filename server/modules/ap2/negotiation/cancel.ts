import type { Tx } from '#platform/kernel/db'
import type { RequestContext } from '#platform/http/principal'
import type { Transition } from '#platform/kernel/machine'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { part, writeTogether } from '#platform/kernel/sql'
import {
  actorIdOf,
  lockDeal,
  lockDealIfAny,
  requireHeld,
  requireOwnedSide,
  requireParty,
  type Deal,
} from '../deal/deal.ts'
import { UNFUNDED, type NegotiationEvent, type NegotiationTrigger } from '../deal/negotiation-machine.ts'
import { changesOf, DealDraft } from '../deal/plan.ts'
import { heldOf } from '../deal/rows.ts'
import * as statements from '../deal/sql.ts'
import { textErasures } from '../erasure/erase.ts'
import { cannot } from '../errors.ts'
import { refundToCard, toCardOf, type RefundTarget } from '../escrow/refund.ts'
import { settle } from '../escrow/settle.ts'
import { abandonFunding, endFunding } from '../funding/abandon.ts'

/** Only a refund to the card needs jobs. */
type Cancellation = { negotiationId: string } & (
  | { to?: 'wallet'; jobs?: undefined }
  | ({ to?: RefundTarget } & Pick<Services, 'jobs'>)
)

/**
 * The buyer withdraws from the deal before the seller has started. Held funds return to the wallet, or to the card. A payment
 * that nobody has made yet ends with the deal; 409 for one that is under way.
 */
export async function cancelNegotiation(
  tx: Tx,
  ctx: RequestContext,
  { negotiationId, to, jobs }: Cancellation,
): Promise<Deal> {
  const deal = await lockDeal(tx, negotiationId)
  requireParty(ctx, deal, 'buyer')
  const { negotiation, escrow } = deal
  const move = { event: 'cancel', by: 'buyer', actorId: actorIdOf(ctx) } as const
  if (!escrow) return endUnfunded(tx, new DealDraft(deal, tx.now), move)
  requireOwnedSide(ctx, deal, 'buyer')
  if (escrow.status === 'PENDING_FUNDING') {
    const how = { action: 'cancel', actorId: move.actorId }
    return endUnfunded(tx, await abandonFunding(tx, { ...deal, escrow }, how), move)
  }
  requireHeld(deal, 'cancel')
  if (negotiation.status !== 'ESCROWED') {
    throw cannot('cancel', negotiation.status, 'the seller has started: agree on a refund, or dispute')
  }
  const toBuyer = heldOf(escrow)
  const toCard = toCardOf(escrow, toBuyer, to)
  const details = { amount: formatMoney(toBuyer), ...(toCard ? { toCard: formatMoney(toCard) } : {}) }
  const settled = await settle(tx, deal, { ...move, toBuyer, toCard, details })
  if (jobs) await refundToCard(tx, { jobs }, settled, toCard)
  return settled.deal
}

/** Ends a negotiation that was never funded: its deadlines stop, and the text of deleted parties is erased. */
export async function endUnfunded(
  tx: Tx,
  draft: DealDraft,
  move: Transition<NegotiationEvent, NegotiationTrigger>,
): Promise<Deal> {
  draft.moveNegotiation({ ...move, set: { expiresAt: null, fundBy: null, endedAt: tx.now } })
  const { deal } = draft
  tx.write(writeTogether(changesOf(draft)))
  for (const statement of textErasures([{ id: deal.negotiation.id, deleted: deal.deletedSides }]))
    await tx.run(statement)
  return deal
}

const DELETED = { code: 'account_deleted', reason: 'account deleted' }
const CLOSED = { code: 'organization_closed', reason: 'organization closed' }

/**
 * Cancels the negotiations and unfunded deals of accounts that are being deleted and of organizations that are being closed.
 * A deal of another party that one of their wallets was about to fund goes on: it can be funded again.
 */
export async function cancelUnfundedDealsOf(
  tx: Tx,
  partyIds: readonly string[],
  what: 'account' | 'organization' = 'account',
): Promise<void> {
  const details = what === 'account' ? DELETED : CLOSED
  for (const { id, isParty } of await tx.rows(statements.unfundedDealsOf(partyIds))) {
    const deal = await lockDealIfAny(tx, part`${id}::uuid`)
    if (!deal || !UNFUNDED.includes(deal.negotiation.status)) continue
    const { escrow } = deal
    const draft = escrow ? await endFunding(tx, { ...deal, escrow }) : new DealDraft(deal, tx.now)
    if (isParty) await endUnfunded(tx, draft, { event: 'cancel', by: 'system', details })
    else if (escrow) tx.write(writeTogether(changesOf(draft)))
  }
}
