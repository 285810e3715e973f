import { assertTradable } from '#agents'
import { after, SECOND } from '#platform/clock'
import type { Tx } from '#platform/db'
import { fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { transition } from '#platform/machine'
import { formatMoney, moneyNumber, parseAmount } from '#platform/money'
import { actorIdOf, demandSide, lockDeal, otherSide, type Deal } from './deal.ts'
import { AP2, cannot } from './faults.ts'
import { rescaled } from './milestones.ts'
import { endUnfunded, FUNDING_TIME, noteRound } from './negotiation.ts'
import { negotiationMachine } from './negotiation-machine.ts'
import type { Side } from './rows.ts'
import { demandTier, type Rules } from './tier.ts'

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
}

const ACTIONS = { ACCEPTED: 'accept', REJECTED: 'reject', COUNTERED: 'counter' } as const
export const ROUNDS_MAX = 10

/** A side accepts the price on the table, names another, or ends the talks. */
export async function respond(tx: Tx, actor: Actor, input: RespondInput, rules: Rules): Promise<void> {
  const action = actionOf(input)
  const deal = await lockDeal(tx, input.negotiationId)
  const side = speaker(actor, deal, action)
  if (!['PENDING', 'COUNTERED'].includes(deal.negotiation.status)) throw cannot(action, deal.negotiation.status)
  if (input.round !== undefined && input.round !== deal.negotiation.round) {
    throw fault(AP2.ROUND_STALE, {
      hint: `The negotiation is at round ${deal.negotiation.round}`, details: { round: deal.negotiation.round },
    })
  }
  const said: Said = { actor, side, input, price: priceOf(input), rules }
  if (action === 'reject') return reject(tx, deal, said)
  for (const agent of [deal.buyerAgent, deal.sellerAgent]) if (agent) assertTradable(agent)
  return action === 'accept' ? accept(tx, deal, said) : counter(tx, deal, said)
}

interface Said { actor: Actor; side: Side; input: RespondInput; price: bigint | null; rules: Rules }

function actionOf({ status, action }: RespondInput): 'accept' | 'reject' | 'counter' {
  const named = status && ACTIONS[status]
  if (named && action && named !== action) throw invalid('status and action say different things: send one of them')
  const chosen = named ?? action
  if (!chosen) throw invalid('status is required: ACCEPTED, REJECTED or COUNTERED')
  return chosen
}

function priceOf({ price, counterPrice }: RespondInput): bigint | null {
  const [first, second] = [['price', price], ['counterPrice', counterPrice]].flatMap(([field, given]) =>
    (given === undefined ? [] : [parseAmount(given, { field: String(field) })]))
  if (second !== undefined && second !== first) throw invalid('price and counterPrice differ: send one of them')
  return first ?? null
}

/** For whom the caller speaks: the side whose turn it is. To reject, it need not be one's turn. */
function speaker(actor: Actor, deal: Deal, action: string): Side {
  const sides = demandSide(actor, deal)
  const turn = otherSide(deal.negotiation.offered_by)
  if (sides.includes(turn)) return turn
  if (action === 'reject' || !['PENDING', 'COUNTERED'].includes(deal.negotiation.status)) return sides[0] ?? turn
  throw fault(AP2.NOT_YOUR_TURN, { hint: `It is the turn of the ${turn}`, details: { turn } })
}

async function reject(tx: Tx, { negotiation }: Deal, { actor, side, input }: Said): Promise<void> {
  await noteRound(tx, negotiation, { actor, side, action: 'REJECTED', notes: input.notes, terms: input.terms })
  await endUnfunded(tx, negotiation, { event: 'reject', by: side, actorId: actorIdOf(actor) })
}

async function accept(tx: Tx, { negotiation, sellerAgent }: Deal, { actor, side, input, price, rules }: Said): Promise<void> {
  if (price !== null && price !== negotiation.price) {
    const hint = `${formatMoney(negotiation.price)} is the current price: counter to change it`
    throw fault(price > negotiation.budget ? AP2.PRICE_ABOVE_BUDGET : AP2.PRICE_CHANGED, {
      hint, details: { price: formatMoney(negotiation.price) },
    })
  }
  demandTier(rules, sellerAgent, negotiation.price)
  await transition(tx, negotiationMachine, negotiation, {
    event: 'accept', by: side, actorId: actorIdOf(actor),
    set: { expires_at: null, fund_by: after(tx.now, FUNDING_TIME) }, details: { price: moneyNumber(negotiation.price) },
  })
  await noteRound(tx, negotiation, { actor, side, action: 'ACCEPTED', ...words(input) })
}

async function counter(tx: Tx, { negotiation, sellerAgent }: Deal, { actor, side, input, price, rules }: Said): Promise<void> {
  if (price === null) throw invalid('price is required to counter')
  if (negotiation.round >= ROUNDS_MAX) throw fault(AP2.ROUNDS_EXHAUSTED, {
    hint: `After ${ROUNDS_MAX} rounds, accept or reject`,
  })
  demandTier(rules, sellerAgent, price)
  const moved = await transition(tx, negotiationMachine, negotiation, {
    event: 'counter', by: side, actorId: actorIdOf(actor), details: { price: moneyNumber(price) },
    set: {
      price, offered_by: side, round: negotiation.round + 1,
      expires_at: after(tx.now, negotiation.silence_seconds * SECOND),
      ...(side === 'buyer' ? { budget: price } : {}),
      ...(negotiation.milestones ? { milestones: JSON.stringify(rescaled(negotiation.milestones, price)) } : {}),
    },
  })
  await noteRound(tx, moved, { actor, side, action: 'COUNTERED', ...words(input) })
}

const words = ({ notes, terms, estimatedDelivery }: RespondInput) => ({
  notes, terms, estimated_delivery: estimatedDelivery,
})
