import type { Queryable, Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import { pageAnswer, pageOf, type Page } from '#platform/http/schema'
import type { Actor } from '#platform/http/actor'
import { formatMoney } from '#platform/money'
import { allowedActions } from './actions.ts'
import { demandEscrow, readDeal, sidesOf } from './deal.ts'
import { AP2 } from './faults.ts'
import type { Held } from './initiate.ts'
import type { DeliveryRow, EscrowRow, NegotiationRow } from './rows.ts'
import type { Settled } from './settle.ts'
import { fullDeals, type FullDeal } from './situations.ts'
import * as statements from './sql.ts'
import { deliveryView, escrowView, negotiationView, timelineOf, transactionView } from './views.ts'

/** A negotiation as one of its parties, or an admin, sees it. */
export async function negotiationAnswer(q: Queryable, actor: Actor, negotiationId: string, now: Date) {
  const { negotiation } = await readDeal(q, negotiationId, now)
  const deal = await fullDeal(q, negotiation)
  demandReader(actor, deal)
  return negotiationView(deal, allowedActions(deal, actor))
}

/** An escrow as one of its parties, or an admin, sees it. */
export async function escrowAnswer(q: Queryable, actor: Actor, escrowId: string) {
  const deal = await readableEscrow(q, actor, escrowId)
  return escrowView(deal, allowedActions(deal, actor))
}

export async function readableEscrow(q: Queryable, actor: Actor, escrowId: string): Promise<FullDeal & { escrow: EscrowRow }> {
  const { negotiation_id: negotiationId } = await demandEscrow(q, escrowId)
  const deal = await fullDeal(q, await q.one(statements.negotiationById(negotiationId)))
  demandReader(actor, deal)
  return deal as FullDeal & { escrow: EscrowRow }
}

async function fullDeal(q: Queryable, negotiation: NegotiationRow): Promise<FullDeal> {
  const [deal] = await fullDeals(q, [negotiation])
  return deal as FullDeal
}

function demandReader(actor: Actor, deal: FullDeal): void {
  if (!sidesOf(actor, deal).length && actor.role !== 'ADMIN') throw fault(COMMON.FORBIDDEN, { hint: 'You are not a party to this deal' })
}

type Listed = { rows: NegotiationRow[]; counted: number }

export async function negotiationPage(q: Queryable, actor: Actor, { rows, counted }: Listed, query: Partial<Page>) {
  const deals = await fullDeals(q, rows)
  return pageAnswer(deals.map(deal => negotiationView(deal, allowedActions(deal, actor))), counted, pageOf(query))
}

export async function escrowPage(q: Queryable, actor: Actor, { rows, counted }: Listed, query: Partial<Page>) {
  const deals = await fullDeals(q, rows) as (FullDeal & { escrow: EscrowRow })[]
  return pageAnswer(deals.map(deal => escrowView(deal, allowedActions(deal, actor))), counted, pageOf(query))
}

export async function eventsPage(q: Queryable, actor: Actor, escrowId: string, query: Partial<Page>) {
  const events = timelineOf(await readableEscrow(q, actor, escrowId))
  const page = pageOf(query)
  return pageAnswer(events.slice(page.offset, page.offset + page.limit), events.length, page)
}

export async function initiatedAnswer(tx: Tx, actor: Actor, { escrow, journal, legs }: Held) {
  const view = await escrowAnswer(tx, actor, escrow.id)
  return {
    escrowId: escrow.id, negotiationId: escrow.negotiation_id, status: view.status, escrow: view,
    holdTransaction: transactionView(journal, legs, { amount: escrow.amount, currency: escrow.currency }),
  }
}

export async function settledAnswer(tx: Tx, actor: Actor, { escrow, journal, legs, toSeller, fee, commission }: Settled) {
  const view = await escrowAnswer(tx, actor, escrow.id)
  const amount = legs.filter(leg => leg.debit.endsWith(escrow.id)).reduce((sum, leg) => sum + leg.amount, 0n)
  return {
    escrowId: escrow.id, negotiationId: escrow.negotiation_id, status: view.status, escrow: view,
    transaction: transactionView(journal, legs, { amount, currency: escrow.currency }),
    fee: formatMoney(fee), netToSeller: formatMoney(toSeller - fee), commission: formatMoney(commission),
  }
}

export async function deliveredAnswer(q: Queryable, actor: Actor, delivery: DeliveryRow) {
  const deal = await fullDeal(q, await q.one(statements.negotiationById(delivery.negotiation_id)))
  return { delivery: deliveryView(deal, delivery), negotiation: negotiationView(deal, allowedActions(deal, actor)) }
}

/** One delivery with its content, for the parties. */
export async function deliveryAnswer(q: Queryable, actor: Actor, { id, deliveryId }: { id: string; deliveryId: string }) {
  const deal = await readableEscrow(q, actor, id)
  if (!deal.deliveries.some(each => each.id === deliveryId)) throw fault(AP2.DELIVERY_NOT_FOUND)
  return deliveryView(deal, await q.one(statements.deliveryById(deliveryId)))
}

/** The picture that the verifier took of a delivery. */
export async function screenshotAnswer(q: Queryable, actor: Actor, path: { id: string; deliveryId: string }): Promise<Buffer> {
  const { id } = await deliveryAnswer(q, actor, path)
  const picture = await q.maybe(statements.screenshotOf(id))
  if (!picture) throw fault(AP2.DELIVERY_NOT_FOUND, { hint: 'This delivery has no screenshot' })
  return picture.png
}
