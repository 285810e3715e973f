import type { Stripe } from 'stripe'
import { SECOND } from '#platform/kernel/clock'
import type { Movement } from '../statement-port.ts'
import { idOf, object, seconds, type StripeClient } from './client.ts'
import { paymentOf } from './payments.ts'

const KINDS: Record<string, Movement['kind']> = {
  charge: 'charge',
  payment: 'charge',
  refund: 'refund',
  payment_refund: 'refund',
  refund_failure: 'refund',
  payment_failure_refund: 'refund',
  transfer: 'transfer',
  transfer_refund: 'transfer_reversal',
  transfer_cancel: 'transfer_reversal',
  transfer_failure: 'transfer_reversal',
  payout: 'payout',
  payout_cancel: 'payout',
  payout_failure: 'payout',
  stripe_fee: 'fee',
}

/** Oldest first: Stripe lists the newest first, so all lines of the time are read before the first is returned. */
export async function* movements(client: StripeClient, from: Date, to: Date): AsyncGenerator<Movement> {
  const lines = await client.ask(async stripe => {
    const found: Stripe.BalanceTransaction[] = []
    const list = stripe.balanceTransactions.list({
      created: { gte: seconds(from), lt: seconds(to) },
      expand: ['data.source'],
      limit: 100,
    })
    for await (const line of list) found.push(object(line))
    return found.reverse()
  })
  for (const line of lines) {
    const { sourceId, ourId } = await sourceOf(client, line)
    yield {
      id: line.id,
      kind: kindOf(line),
      sourceId,
      ourId,
      cents: line.amount,
      feeCents: line.fee,
      currency: line.currency.toUpperCase(),
      at: new Date(line.created * SECOND),
    }
  }
}

function kindOf({ type, reporting_category: category }: Stripe.BalanceTransaction): Movement['kind'] {
  if (category === 'dispute' || category === 'dispute_reversal') return category
  return KINDS[type] ?? 'other'
}

type Source = Pick<Movement, 'sourceId' | 'ourId'>

async function sourceOf(client: StripeClient, { source }: Stripe.BalanceTransaction): Promise<Source> {
  if (typeof source !== 'object' || !source) return { sourceId: idOf(source), ourId: null }
  switch (source.object) {
    case 'charge':
      return { sourceId: idOf(source.payment_intent) ?? source.id, ourId: source.metadata.paymentId ?? null }
    case 'refund':
      return { sourceId: source.id, ourId: source.metadata?.refundId ?? null }
    case 'transfer':
      return { sourceId: source.id, ourId: source.metadata.payoutId ?? null }
    case 'transfer_reversal':
      return { sourceId: idOf(source.transfer), ourId: source.metadata?.payoutId ?? null }
    case 'dispute':
      return { sourceId: source.id, ourId: await paymentOf(client, idOf(source.payment_intent)) }
    default:
      return { sourceId: source.id, ourId: null }
  }
}
