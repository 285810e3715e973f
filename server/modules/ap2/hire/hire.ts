import { agentById, agentBySlug, type Agent } from '#agents'
import { IDENTITY } from '#identity'
import { cardPayments, PAYMENTS } from '#payments'
import type { Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import type { Begun } from '#platform/kernel/idempotency'
import { formatMoney, moneyNumber, type Asset } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { requireEscrow } from '../deal/deal.ts'
import type { Rules } from '../deal/tier.ts'
import { startFunding } from '../funding/fund.ts'
import type { PaymentMethod } from '../funding/rails.ts'
import { reserve, reservedByRequest } from '../funding/reserve.ts'
import { openHire } from '../negotiation/negotiation.ts'
import { withReferral } from '../affiliation.ts'

/** A one-time hire of an agent: the deal is made and paid by one request. */
export interface HireInput {
  agentId?: string
  slug?: string
  amount?: number | string
  currency?: string
  serviceDescription?: string
  input?: unknown
}

interface Request {
  services: Services
  rules: Rules
  requestId: string
}

/** Hires an agent through a hosted page: the deal waits for its funds until somebody pays on the page. */
export async function hireByCheckout(
  tx: Tx,
  ctx: RequestContext,
  input: HireInput & { successUrl?: string; cancelUrl?: string; receipt?: boolean },
  request: Request,
) {
  const { successUrl: returnUrl, cancelUrl, receipt } = input
  const method = { accountId: ctx.principal.accountId, returnUrl, cancelUrl, receipt }
  const escrowId = await reserveHire(tx, ctx, input, { ...request, method })
  return {
    async proceed() {
      const { checkout } = await startFunding(request.services, escrowId, method)
      if (!checkout) throw processingFailed(escrowId, CANCELED_MEANWHILE)
      const { negotiationId } = await requireEscrow(request.services.db, escrowId)
      const opened = { checkoutSessionId: checkout.id, url: checkout.url, escrowId, negotiationId }
      return withReferral(request.services.db, ctx, { success: true, ...opened })
    },
  }
}

type CardResult = Awaited<ReturnType<typeof cardResult>>

/** Hires an agent with a card that is charged at once. 400 for a declined card, 500 while the outcome is unknown. */
export async function hireByCard(
  tx: Tx,
  ctx: RequestContext,
  input: HireInput & { paymentMethodId: string; receipt?: boolean },
  request: Request,
): Promise<Begun<CardResult>> {
  const { paymentMethodId, receipt } = input
  const method = { accountId: ctx.principal.accountId, paymentMethodId, receipt }
  const escrowId = await reserveHire(tx, ctx, input, { ...request, method })
  return {
    isFinal: ({ success }) => success,
    async proceed() {
      await startFunding(request.services, escrowId, method)
      return withReferral(request.services.db, ctx, await cardResult(request.services, escrowId))
    },
  }
}

async function cardResult({ db }: Services, escrowId: string) {
  const [escrow, payment] = [await requireEscrow(db, escrowId), await cardPayments.paymentById(db, escrowId)]
  if (!payment && escrow.status === 'CANCELLED') throw processingFailed(escrowId, CANCELED_MEANWHILE)
  if (!payment?.processorId)
    throw processingFailed(
      escrowId,
      'whether the card was charged is not known yet: repeat the request with the same Idempotency-Key, or read the escrow',
    )
  const success = payment.status === 'SUCCEEDED'
  return {
    success,
    transactionId: payment.id,
    paymentIntentId: payment.processorId,
    status: success ? ('succeeded' as const) : ('processing' as const),
    amount: moneyNumber(payment.amount),
    currency: payment.currency,
    escrowId,
    negotiationId: escrow.negotiationId,
  }
}

const CANCELED_MEANWHILE = 'the hire was cancelled meanwhile: hire the agent again'

const processingFailed = (escrowId: string, hint: string) =>
  apiError(PAYMENTS.PROCESSING_FAILED, { hint, details: { escrowId } })

/** Opens the deal of a hire and reserves its escrow, in one transaction. Returns the id of the escrow. */
async function reserveHire(
  tx: Tx,
  ctx: RequestContext,
  input: HireInput,
  { requestId, rules, method }: Request & { method: PaymentMethod },
): Promise<string> {
  const earlier = await reservedByRequest(tx, requestId)
  if (earlier !== null) return earlier
  const agent = await requireNamedAgent(tx, input)
  const { negotiation } = await openHire(
    tx,
    ctx,
    {
      responderAgentId: agent.id,
      requestedService: input.serviceDescription?.trim() || `Hire of ${agent.name}`,
      budget: amountOf(agent, input),
      currency: currencyOf(input),
      // Not the field itself: an acceptance rule is agreed in a negotiation.
      requirements: input.input === undefined ? undefined : { input: input.input },
    },
    rules,
  )
  const how = { rules, method, rail: 'card', requestId } as const
  return reserve(tx, ctx, { negotiationId: negotiation.id }, how)
}

async function requireNamedAgent(tx: Tx, { agentId, slug }: HireInput): Promise<Agent> {
  if (agentId === undefined && slug === undefined) throw invalid('agentId or slug is required')
  const agent = agentId === undefined ? await agentBySlug(tx, slug ?? '') : await agentById(tx, agentId)
  if (!agent) throw apiError(IDENTITY.AGENT_NOT_FOUND)
  if (slug !== undefined && agent.slug !== slug)
    throw invalid('agentId and slug name different agents: send one of them')
  return agent
}

/** What the buyer offers, else the listed price of the agent. */
function amountOf({ price, priceCurrency }: Agent, { amount }: HireInput): number | string {
  if (amount !== undefined) return amount
  if (price > 0n && priceCurrency === 'USD') return formatMoney(price)
  throw invalid('amount is required: the agent has no price in USD')
}

function currencyOf({ currency = 'USD' }: HireInput): Asset {
  const name = currency.toUpperCase()
  if (name === 'USD' || name === 'USDC') return name
  throw apiError(PAYMENTS.CARD_CURRENCY, { hint: `A card pays in USD, this payment is in ${name}` })
}
