import assert from 'node:assert/strict'
import { requireTradable } from '#agents'
import { chargeBudget } from '#budgets'
import { serviceAccounts } from '#identity'
import { debitAccountOf } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import { part, writeTogether } from '#platform/kernel/sql'
import { actorIdOf, hintBefore, lockDeal, requireOwnedSide, type FundedDeal } from '../deal/deal.ts'
import { isSelfDeal, organizationOf } from '../deal/organizations.ts'
import { changesOf, DealDraft } from '../deal/plan.ts'
import { agentsOf, lockFundingOf, sellerAccountOf } from '../deal/sql.ts'
import { requireAllowed, requireWithinKeyLimit } from '../deal/spending.ts'
import { requireTier, type Rules } from '../deal/tier.ts'
import { cannot, notHeld } from '../errors.ts'
import { abandonFunding } from '../funding/abandon.ts'
import { openDirectDeal } from './direct.ts'
import { applyHold, type Held } from './funding.ts'
import { feeOf, planHold, requirePayable, type Funding } from './hold-plan.ts'
import { lockWallets, payingWallet, receivingWallet, type Payment } from './wallets.ts'

export interface InitiateInput {
  negotiationId?: string
  sourceWalletId?: string
  destinationWalletId?: string
  amount?: number | string
  currency?: string
  rail?: 'wallet' | 'card' | 'x402'
  purpose?: string
  serviceDescription?: string
  input?: unknown
  memo?: string
  metadata?: object
  expectedFeeBps?: number
}

/** The buyer pays an accepted negotiation, or one wallet another, into escrow: money, escrow and deal move together or not at all. */
export async function initiate(
  tx: Tx,
  ctx: RequestContext,
  input: InitiateInput,
  rules: Rules,
): Promise<Held> {
  const payment =
    input.negotiationId === undefined
      ? await openDirectDeal(tx, ctx, input)
      : await acceptedPayment(tx, ctx, { ...input, negotiationId: input.negotiationId })
  return holdPayment(tx, ctx, payment, { input, rules })
}

/** Holds a payment that is prepared: money, escrow and deal move together or not at all. */
export async function holdPayment(
  tx: Tx,
  ctx: RequestContext,
  payment: Payment,
  { input, rules }: Request,
): Promise<Held> {
  const { deal, draft = new DealDraft(deal, tx.now), terms, source, balances } = payment
  const debit = debitAccountOf(source, deal.negotiation.price, balances)
  const funding = await fundingOf(tx, ctx, { ...payment, debit }, { input, rules })
  const plan = planHold(deal, funding, tx.now, draft)
  await chargeBudget(tx, ctx, source, { reference: plan.deal.escrow.id, amount: plan.deal.escrow.amount })
  return applyHold(tx, plan, {
    memo: input.memo,
    author: ctx.principal.accountId,
    revokedAgents: terms.revokedAgents,
  })
}

/** Locks an accepted deal and everything that its payment needs, in one round trip. */
export async function acceptedPayment(
  tx: Tx,
  ctx: RequestContext,
  input: InitiateInput & { negotiationId: string },
): Promise<Payment> {
  const { negotiationId, sourceWalletId } = input
  if (!isId(negotiationId)) await lockDeal(tx, negotiationId)
  const id = part`${negotiationId}::uuid`
  const [deal, , terms, locked] = await Promise.all([
    lockDeal(tx, negotiationId),
    tx.run(lockFundingOf(agentsOf(id))),
    serviceAccounts.planAndRevokedAgents(tx, sellerAccountOf(id), agentsOf(id)),
    lockWallets(tx, id, sourceWalletId),
  ])
  assert(terms)
  requireOwnedSide(ctx, deal, 'buyer')
  const { status } = deal.negotiation
  if (status !== 'ACCEPTED') throw cannot('fund', status, hintBefore(status))
  if (deal.escrow) {
    await replaceFunding(tx, ctx, { ...deal, escrow: deal.escrow }, input)
    return acceptedPayment(tx, ctx, input)
  }
  if (input.amount !== undefined && parseAmount(input.amount) !== deal.negotiation.price) {
    throw invalid(`amount is not the agreed price: ${formatMoney(deal.negotiation.price)}`)
  }
  const source = await payingWallet(tx, ctx, { deal, sourceWalletId, ...locked })
  const destination = await receivingWallet(tx, deal, locked.wallets)
  if (input.destinationWalletId !== undefined && input.destinationWalletId !== destination.id) {
    throw invalid("destinationWalletId is not the seller's wallet of this negotiation")
  }
  return { deal, source, destination, terms, balances: locked.balances }
}

/** Paying in another way ends the payment that is awaited; 409 for the same way, or a payment that is under way. */
async function replaceFunding(
  tx: Tx,
  ctx: RequestContext,
  deal: FundedDeal,
  { rail = 'wallet' }: InitiateInput,
): Promise<void> {
  const { escrow } = deal
  if (escrow.status !== 'PENDING_FUNDING' || escrow.rail === rail) throw notHeld('fund', escrow)
  const draft = await abandonFunding(tx, deal, { action: 'fund', actorId: actorIdOf(ctx) })
  await tx.run(writeTogether(changesOf(draft)))
}

interface Request {
  input: InitiateInput
  rules: Rules
}

/** Checks a payment into escrow, and returns what its plan needs. */
export async function fundingOf(
  tx: Tx,
  ctx: RequestContext,
  payment: Payment & Pick<Funding, 'debit'>,
  { input, rules }: Request,
): Promise<Funding> {
  const { deal, source, destination, debit, terms } = payment
  const { principal } = ctx
  const { negotiation, buyerAgent, sellerAgent } = deal
  for (const agent of [buyerAgent, sellerAgent]) if (agent) requireTradable(agent)
  requireTier(rules, sellerAgent, negotiation.price)
  requirePayable(negotiation, payment, tx.now)
  // A run above the threshold waits for its approval with its money held.
  if (!negotiation.isRun) await requireAllowed(tx, ctx, deal, { side: 'buyer', action: 'fund' })
  await requireWithinKeyLimit(tx, principal, negotiation.price)
  return {
    source,
    destination,
    debit,
    feeBps: feeOf(terms.plan, input.expectedFeeBps),
    isSelfDeal: await paysItself(tx, payment),
    text: input,
    actorId: actorIdOf(ctx),
    serviceAccountId: principal.via === 'account-key' ? principal.serviceAccountId : null,
  }
}

const paysItself = async (tx: Tx, { source, destination }: Payment): Promise<boolean> =>
  organizationOf(source) !== null && (await isSelfDeal(tx, source, destination))
