import { accounts, journalsOf } from '#ledger'
import { cardPayments } from '#payments'
import type { Queryable } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { pageAnswer, pageOf, type Page } from '#platform/http/schema'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney } from '#platform/kernel/money'
import { allowedActions } from './actions.ts'
import { readDeal, readDeals, readFunded, requireReader, type Deal, type FundedDeal } from '../deal/deal.ts'
import { canceledHistory } from '../deal/parts.ts'
import { AP2 } from '../errors.ts'
import type { Held } from '../escrow/funding.ts'
import type { DeliveryRow, NegotiationRow } from '../deal/rows.ts'
import type { CardRefund } from '../escrow/refund.ts'
import type { Settled } from '../escrow/settle.ts'
import * as statements from '../deal/sql.ts'
import { deliveryView, escrowView, negotiationView, timelineOf, transactionView } from './views.ts'

/** A negotiation as one of its parties, or an admin, sees it, with its timeline. */
export async function negotiationAnswer(q: Queryable, ctx: RequestContext, negotiationId: string, now: Date) {
  const deal = await readDeal(q, negotiationId, now)
  requireReader(ctx, deal)
  const [canceled, cardRefunds] = await Promise.all([
    q.rows(canceledHistory(deal.negotiation.id)),
    cardRefundsOf(q, deal),
  ])
  const view = negotiationViewFor(ctx, deal)
  return {
    ...view,
    escrow: view.escrow && { ...view.escrow, cardRefunds },
    timeline: timelineOf({ history: [...deal.history, ...canceled].toSorted(byId) }),
  }
}

// Ids are UUIDv7: in the order of time, also of lines that one transaction writes.
const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1)

/** The same from a deal that a command has just changed: nothing is read again. */
export const negotiationViewFor = (ctx: RequestContext, deal: Deal) =>
  negotiationView(deal, allowedActions(deal, ctx))

/** An escrow as one of its parties, or an admin, sees it. */
export async function escrowAnswer(q: Queryable, ctx: RequestContext, escrowId: string) {
  const deal = await readableEscrow(q, ctx, escrowId)
  return { ...escrowViewFor(ctx, deal), cardRefunds: await cardRefundsOf(q, deal) }
}

/** What of a refund went to the card: the payment has the id of the escrow. */
async function cardRefundsOf(q: Queryable, { escrow }: Deal) {
  if (escrow?.rail !== 'card' || escrow.refunded === 0n) return []
  const refunds = await cardPayments.refundsOf(q, escrow.id)
  return refunds.map(({ id, amount, status }) => ({ id, amount: formatMoney(amount), status }))
}

export const escrowViewFor = (ctx: RequestContext, deal: FundedDeal) =>
  escrowView(deal, allowedActions(deal, ctx))

export async function readableEscrow(
  q: Queryable,
  ctx: RequestContext,
  escrowId: string,
): Promise<FundedDeal> {
  const deal = await readFunded(q, escrowId)
  requireReader(ctx, deal)
  return deal
}

type Listed = { rows: NegotiationRow[]; counted: number }

export async function negotiationPage(
  q: Queryable,
  ctx: RequestContext,
  { rows, counted }: Listed,
  query: Partial<Page>,
) {
  const deals = await readDeals(q, rows)
  return pageAnswer(
    deals.map(deal => negotiationViewFor(ctx, deal)),
    counted,
    pageOf(query),
  )
}

export async function escrowPage(
  q: Queryable,
  ctx: RequestContext,
  { rows, counted }: Listed,
  query: Partial<Page>,
) {
  const deals = (await readDeals(q, rows)).filter(isFunded)
  return pageAnswer(
    deals.map(deal => escrowViewFor(ctx, deal)),
    counted,
    pageOf(query),
  )
}

export async function eventsPage(q: Queryable, ctx: RequestContext, escrowId: string, query: Partial<Page>) {
  const events = timelineOf(await readableEscrow(q, ctx, escrowId))
  const page = pageOf(query)
  return pageAnswer(events.slice(page.offset, page.offset + page.limit), events.length, page)
}

const isFunded = (deal: Deal): deal is FundedDeal => deal.escrow !== null

export const initiatedView = (ctx: RequestContext, { deal, journal, legs }: Held) => ({
  ...aboutFunding(ctx, deal),
  holdTransaction: transactionView(journal, legs, deal.escrow),
})

const aboutFunding = (ctx: RequestContext, deal: FundedDeal) => ({
  escrowId: deal.escrow.id,
  negotiationId: deal.escrow.negotiationId,
  status: deal.escrow.status,
  escrow: escrowViewFor(ctx, deal),
})

/** An escrow whose funds come by another rail than a wallet: `started` says how to pay while they have not come. */
export async function fundingView(
  q: Queryable,
  ctx: RequestContext,
  escrowId: string,
  started: { checkout?: { id: string; url: string } },
) {
  const deal = await readFunded(q, escrowId)
  const account = accounts.escrow(escrowId)
  const legs = (await journalsOf(q, account)).filter(leg => leg.credit === account)
  const [journal] = legs
  return {
    ...aboutFunding(ctx, deal),
    holdTransaction: journal
      ? transactionView({ ...journal, id: journal.journalId }, legs, deal.escrow)
      : null,
    ...started,
  }
}

export function settledView(
  ctx: RequestContext,
  { deal, journal, legs, toSeller, fee, commission, refund }: Settled & { refund?: CardRefund },
) {
  const { escrow } = deal
  const amount = legs.filter(leg => leg.debit.endsWith(escrow.id)).reduce((sum, leg) => sum + leg.amount, 0n)
  return {
    escrowId: escrow.id,
    negotiationId: escrow.negotiationId,
    status: escrow.status,
    escrow: escrowViewFor(ctx, deal),
    transaction: transactionView(journal, legs, { amount, currency: escrow.currency }),
    fee: formatMoney(fee),
    netToSeller: formatMoney(toSeller - fee),
    commission: formatMoney(commission),
    ...(refund ? { refund: { ...refund, amount: formatMoney(refund.amount) } } : {}),
  }
}

export const deliveredView = (ctx: RequestContext, deal: Deal, delivery: DeliveryRow) => ({
  delivery: deliveryView(deal, delivery),
  negotiation: negotiationViewFor(ctx, deal),
})

/** One delivery with its content, for the parties. */
export async function deliveryAnswer(
  q: Queryable,
  ctx: RequestContext,
  { id, deliveryId }: { id: string; deliveryId: string },
) {
  const deal = await readableEscrow(q, ctx, id)
  if (!deal.deliveries.some(each => each.id === deliveryId)) throw apiError(AP2.DELIVERY_NOT_FOUND)
  return deliveryView(deal, await q.one(statements.deliveryById(deliveryId)))
}

/** The picture that the verifier took of a delivery. */
export async function screenshotAnswer(
  q: Queryable,
  ctx: RequestContext,
  path: { id: string; deliveryId: string },
): Promise<Buffer> {
  const { id } = await deliveryAnswer(q, ctx, path)
  const picture = await q.maybe(statements.screenshotOf(id))
  if (!picture) throw apiError(AP2.DELIVERY_NOT_FOUND, { hint: 'This delivery has no screenshot' })
  return picture.png
}
