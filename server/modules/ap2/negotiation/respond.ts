import { requireTradable } from '#agents'
import { after, SECOND } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney, moneyNumber, parseAmount } from '#platform/kernel/money'
import { writeTogether } from '#platform/kernel/sql'
import { actorIdOf, lockDeal, otherSide, requireParty, type Deal } from '../deal/deal.ts'
import { parseCriteria, type Criterion } from '../criteria/criterion.ts'
import { rescaled } from '../deal/milestones.ts'
import { changesOf, DealDraft } from '../deal/plan.ts'
import type { Side } from '../deal/rows.ts'
import { requireAllowed } from '../deal/spending.ts'
import { requireTier, type Rules } from '../deal/tier.ts'
import { AP2, cannot } from '../errors.ts'
import { FUNDING_TIME, roundOf } from './negotiation-plan.ts'
import { endUnfunded } from './cancel.ts'

export interface RespondInput {
  negotiationId: string
  status?: 'ACCEPTED' | 'REJECTED' | 'COUNTERED'
  action?: 'accept' | 'reject' | 'counter'
  price?: number | string
  counterPrice?: number | string
  estimatedDelivery?: string
  terms?: string
  notes?: string
  round?: number
  acceptance?: unknown
}

const ACTIONS = { ACCEPTED: 'accept', REJECTED: 'reject', COUNTERED: 'counter' } as const
export const ROUNDS_MAX = 10

/** A party accepts the current price, names another, or ends the negotiation. */
export async function respond(tx: Tx, ctx: RequestContext, input: RespondInput, rules: Rules): Promise<Deal> {
  const action = actionOf(input)
  const deal = await lockDeal(tx, input.negotiationId)
  const response: Response = {
    action,
    side: respondingSide(ctx, deal, action),
    actorId: actorIdOf(ctx),
    price: priceOf(input),
    input,
  }
  const draft = planResponse(deal, response, rules, tx.now)
  if (action === 'reject')
    return endUnfunded(tx, draft, { event: 'reject', by: response.side, actorId: response.actorId })
  const { side } = response
  // A counter of the seller binds it: the buyer accepts it without another word of the seller.
  await requireAllowed(tx, ctx, draft.deal, {
    side,
    action: action === 'counter' && side === 'buyer' ? 'negotiate' : 'accept',
  })
  tx.write(writeTogether(changesOf(draft)))
  return draft.deal
}

export interface Response {
  action: 'accept' | 'reject' | 'counter'
  side: Side
  actorId: string
  /** In micro-units; null if the response names none. */
  price: bigint | null
  input: Pick<RespondInput, 'notes' | 'terms' | 'estimatedDelivery' | 'round' | 'acceptance'>
}

/** Decides what a response changes. Pure. A rejection ends the negotiation by `endUnfunded`. */
export function planResponse(deal: Deal, response: Response, rules: Rules, now: Date): DealDraft {
  const { negotiation, buyerAgent, sellerAgent } = deal
  const { action, input } = response
  if (!['PENDING', 'COUNTERED'].includes(negotiation.status)) throw cannot(action, negotiation.status)
  if (input.round !== undefined && input.round !== negotiation.round) {
    throw apiError(AP2.ROUND_STALE, {
      hint: `The negotiation is at round ${negotiation.round}`,
      details: { round: negotiation.round },
    })
  }
  const draft = new DealDraft(deal, now)
  if (action !== 'counter' && input.acceptance !== undefined)
    throw invalid('acceptance can only be sent to counter')
  if (action === 'reject') {
    const { notes, terms } = input
    draft.addRound(roundOf(negotiation, { ...entryOf(response), action: 'REJECTED', notes, terms }, now))
    return draft
  }
  for (const agent of [buyerAgent, sellerAgent]) if (agent) requireTradable(agent)
  if (action === 'accept') accept(draft, response, rules)
  else counter(draft, response, rules)
  return draft
}

const entryOf = ({ actorId, side }: Response) => ({ actorId, side })
const textFields = ({ input: { notes, terms, estimatedDelivery } }: Response) => ({
  notes,
  terms,
  estimatedDelivery,
})

function actionOf({ status, action }: RespondInput): Response['action'] {
  const named = status && ACTIONS[status]
  if (named && action && named !== action) throw invalid('status and action differ: send one of them')
  const chosen = named ?? action
  if (!chosen) throw invalid('status is required: ACCEPTED, REJECTED or COUNTERED')
  return chosen
}

function priceOf({ price, counterPrice }: RespondInput): bigint | null {
  const [first, second] = [
    ['price', price],
    ['counterPrice', counterPrice],
  ].flatMap(([field, given]) => (given === undefined ? [] : [parseAmount(given, { field: String(field) })]))
  if (second !== undefined && second !== first)
    throw invalid('price and counterPrice differ: send one of them')
  return first ?? null
}

/** The side for which the caller responds: the one whose turn it is. A rejection needs no turn. */
function respondingSide(ctx: RequestContext, deal: Deal, action: string): Side {
  const sides = requireParty(ctx, deal)
  const turn = otherSide(deal.negotiation.offeredBy)
  if (sides.includes(turn)) return turn
  if (action === 'reject' || !['PENDING', 'COUNTERED'].includes(deal.negotiation.status))
    return sides[0] ?? turn
  throw apiError(AP2.NOT_YOUR_TURN, { hint: `It is the turn of the ${turn}`, details: { turn } })
}

function accept(draft: DealDraft, response: Response, rules: Rules): void {
  const { negotiation, sellerAgent } = draft.deal
  const { price, side, actorId } = response
  if (price !== null && price !== negotiation.price) {
    const hint = `${formatMoney(negotiation.price)} is the current price: counter to change it`
    throw apiError(price > negotiation.budget ? AP2.PRICE_ABOVE_BUDGET : AP2.PRICE_CHANGED, {
      hint,
      details: { price: formatMoney(negotiation.price) },
    })
  }
  requireTier(rules, sellerAgent, negotiation.price)
  draft.moveNegotiation({
    event: 'accept',
    by: side,
    actorId,
    set: { expiresAt: null, fundBy: after(draft.now, FUNDING_TIME) },
    details: { price: moneyNumber(negotiation.price) },
  })
  const entry = { ...entryOf(response), action: 'ACCEPTED', ...textFields(response) } as const
  draft.addRound(roundOf(negotiation, entry, draft.now))
}

function counter(draft: DealDraft, response: Response, rules: Rules): void {
  const { negotiation, sellerAgent } = draft.deal
  const { price, side, actorId } = response
  if (price === null) throw invalid('price is required to counter')
  if (negotiation.round >= ROUNDS_MAX)
    throw apiError(AP2.ROUNDS_EXHAUSTED, {
      hint: `After ${ROUNDS_MAX} rounds, accept or reject`,
    })
  requireTier(rules, sellerAgent, price)
  draft.moveNegotiation({
    event: 'counter',
    by: side,
    actorId,
    details: { price: moneyNumber(price) },
    set: {
      price,
      offeredBy: side,
      round: negotiation.round + 1,
      expiresAt: after(draft.now, negotiation.silenceSeconds * SECOND),
      ...(side === 'buyer' ? { budget: price } : {}),
      ...criteriaOf(draft.deal, response, rules),
      ...(negotiation.milestones ? { milestones: rescaled(negotiation.milestones, price) } : {}),
    },
  })
  const entry = { ...entryOf(response), action: 'COUNTERED', ...textFields(response) } as const
  draft.addRound(roundOf(draft.deal.negotiation, entry, draft.now))
}

/** The criteria of a counter-offer replace those before it; an empty list removes them. */
function criteriaOf(
  { negotiation }: Deal,
  { side, input }: Response,
  { seal }: Rules,
): { acceptance?: Criterion[] | null } {
  if (input.acceptance === undefined) return {}
  const proposal = {
    side,
    earlier: negotiation.acceptance ?? [],
    milestoneKeys: (negotiation.milestones ?? []).map(({ key }) => key),
    seal,
  }
  return { acceptance: parseCriteria(input.acceptance, 'acceptance', proposal) }
}
