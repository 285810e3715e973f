import { accounts } from '#ledger'
import { WALLETS, type Wallet } from '#wallets'
import { after, HOUR } from '#platform/kernel/clock'
import { apiError, invalid } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import type { Transition } from '#platform/kernel/machine'
import { formatMoney, moneyNumber, type Leg } from '#platform/kernel/money'
import { limitJsonSize } from '../deal/json-size.ts'
import type { Deal, FundedDeal } from '../deal/deal.ts'
import { ruleOfAgent } from '../deal/acceptance.ts'
import type { EscrowEvent, EscrowTrigger } from '../deal/escrow-machine.ts'
import { organizationOf } from '../deal/organizations.ts'
import type { DealLine } from '../deal/parts.ts'
import { DealDraft, type DealPlan } from '../deal/plan.ts'
import type { EscrowRow, MilestoneRow, NegotiationRow, Rail } from '../deal/rows.ts'
import { AP2 } from '../errors.ts'
import { DELIVERY_TIME, hashTerms } from '../terms/terms.ts'
import { FEE_BPS } from './fee.ts'
import { holdLegs } from './legs.ts'

/** Key of the only milestone of a deal in one piece. */
export const WHOLE = 'all'

/** What the buyer says about the payment. */
export interface PaymentText {
  purpose?: string
  memo?: string
  metadata?: object
}

/** Everything that decides how a deal is paid into escrow. */
export interface Funding {
  source: Wallet
  destination: Wallet
  /** The ledger account that pays. */
  debit: { account: string; test: boolean }
  feeBps: number
  /** Both wallets belong to the same people. */
  isSelfDeal: boolean
  text: PaymentText
  actorId: string
  serviceAccountId: string | null
}

/** All state changes and legs of a payment into escrow, decided before anything is written. */
export interface HoldPlan extends DealPlan {
  readonly deal: FundedDeal
  legs: Leg[]
}

/** Decides a payment from a wallet: the funds are there, so the escrow is HELD at once. */
export function planHold(
  deal: Deal,
  funding: Funding,
  now: Date,
  draft = new DealDraft(deal, now),
): HoldPlan {
  const escrow = newEscrow(deal.negotiation, funding, now)
  draft.openEscrow(escrow, newMilestones(deal.negotiation, escrow))
  const by = { actor: 'buyer', actorId: funding.actorId, details: amountDetails(escrow) }
  draft.noteStart('escrow', { subjectId: escrow.id, event: 'hold', toStatus: 'HELD', ...by })
  fundNegotiation(draft, { payer: organizationOf(funding.source), ...funding })
  return planOf(draft, funding.debit.account)
}

/** How long funds may take to be confirmed. */
const CONFIRM_TIME = { card: HOUR, x402: 24 * HOUR }

/** How the funds of a reserved escrow come, and the request that asked for it. */
export interface Reservation {
  rail: Exclude<Rail, 'wallet'>
  requestId: string
}

/** Decides a payment whose funds are still to come: the negotiation stays ACCEPTED until they are confirmed. */
export function planReservation(deal: Deal, funding: Funding, how: Reservation, now: Date): DealDraft {
  const draft = new DealDraft(deal, now)
  const { deliverBy } = deal.negotiation
  const confirmBy = after(now, CONFIRM_TIME[how.rail])
  const escrow: EscrowRow = {
    ...newEscrow(deal.negotiation, funding, now),
    ...how,
    status: 'PENDING_FUNDING',
    // Funds that come after the agreed deliverBy would go back at once.
    fundBy: deliverBy && deliverBy < confirmBy ? deliverBy : confirmBy,
  }
  draft.openEscrow(escrow, newMilestones(deal.negotiation, escrow))
  const by = { actor: 'buyer', actorId: funding.actorId, details: amountDetails(escrow) }
  draft.noteStart('escrow', { subjectId: escrow.id, event: 'reserve', toStatus: 'PENDING_FUNDING', ...by })
  return draft
}

/**
 * Decides what the confirmed funds of a reserved escrow change. The legs are those from the buyer's wallet, which the funds
 * reach in the same journal.
 */
export function planConfirmation(
  deal: FundedDeal,
  { payer, isSelfDeal }: Omit<Payer, 'actorId'>,
  now: Date,
): HoldPlan {
  const draft = new DealDraft(deal, now)
  const { escrow, negotiation } = deal
  draft.moveEscrow({
    event: 'hold',
    by: 'processor',
    details: amountDetails(escrow),
    set: { fundBy: null, deliverBy: negotiation.deliverBy ?? after(now, DELIVERY_TIME) },
  })
  fundNegotiation(draft, { payer, isSelfDeal, actorId: negotiation.buyerAccountId })
  return planOf(draft, accounts.wallet(escrow.buyerWalletId))
}

/** Decides what a failed funding changes: the escrow is CANCELLED, the negotiation stays ACCEPTED. */
export const planFailure = (deal: FundedDeal, by: 'processor' | 'timer' | 'system', now: Date): DealDraft =>
  planEnd(deal, { event: 'fail', by }, now)

/** Why arriving funds are not held for a seller. */
export type SellerEnd = 'suspended' | 'archived'

/**
 * Why arriving funds cannot be held for a seller, null where they can: it is suspended, as its owner may be, or archived, and
 * would not deliver. An agent that was paused takes no new deals, but those that were being paid go on.
 */
export function sellerEndOf({ sellerAgent }: Deal): SellerEnd | null {
  if (sellerAgent?.status === 'SUSPENDED' || sellerAgent?.ownerSuspended) return 'suspended'
  return sellerAgent?.status === 'ARCHIVED' ? 'archived' : null
}

/** The same for funds that arrive for such a seller. */
export const planFailureOfSeller = (deal: FundedDeal, end: SellerEnd, now: Date): DealDraft =>
  planEnd(
    deal,
    {
      event: 'fail',
      by: 'system',
      details: { code: `seller_${end}`, reason: `the seller was ${end} before the payment arrived` },
    },
    now,
  )

/** Whether a line of the history is such a failure: the money is in the buyer's wallet. */
export const isSellerEnd = ({ subject, event, details: { code } }: DealLine): boolean =>
  subject === 'escrow' && event === 'fail' && typeof code === 'string' && code.startsWith('seller_')

/** The same for a funding that the buyer gives up. */
export const planAbandonment = (deal: FundedDeal, actorId: string, now: Date): DealDraft =>
  planEnd(deal, { event: 'abandon', by: 'buyer', actorId }, now)

function planEnd(deal: FundedDeal, move: Transition<EscrowEvent, EscrowTrigger>, now: Date): DealDraft {
  const draft = new DealDraft(deal, now)
  draft.moveEscrow({ ...move, set: { fundBy: null, endedAt: now } })
  return draft
}

function planOf(draft: DealDraft, account: string): HoldPlan {
  draft.setEscrow({ termsSha256: hashTerms(draft.fundedDeal) })
  const { rows, lines, fundedDeal: deal } = draft
  return { deal, rows, lines, legs: holdLegs(deal.escrow, account, deal.escrow.amount) }
}

const amountDetails = ({ amount, currency, feeBps, test }: EscrowRow) => ({
  amount: formatMoney(amount),
  currency,
  feeBps,
  test,
})

function newEscrow(
  negotiation: NegotiationRow,
  { source, destination, debit, feeBps, text, serviceAccountId }: Funding,
  now: Date,
): EscrowRow {
  return {
    id: newId(),
    negotiationId: negotiation.id,
    status: 'HELD',
    buyerWalletId: source.id,
    serviceAccountId,
    sellerWalletId: destination.id,
    currency: negotiation.currency,
    test: debit.test,
    amount: negotiation.price,
    released: 0n,
    refunded: 0n,
    fees: 0n,
    feeBps,
    releases: 0,
    refunds: 0,
    unverified: false,
    changesRequested: 0,
    deliverBy: negotiation.deliverBy ?? after(now, DELIVERY_TIME),
    rail: 'wallet',
    fundBy: null,
    requestId: null,
    termsSha256: null,
    originalStatus: null,
    freezes: [],
    frozenAt: null,
    disputedAt: null,
    answerBy: null,
    lapsesAt: null,
    purpose: text.purpose ?? null,
    memo: text.memo ?? null,
    metadata: limitJsonSize(text.metadata, 'metadata'),
    endedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

function newMilestones(negotiation: NegotiationRow, escrow: EscrowRow): MilestoneRow[] {
  const agreed = negotiation.milestones ?? [
    { key: WHOLE, title: negotiation.requestedService, amount: String(escrow.amount) },
  ]
  return agreed.map(({ key, title, amount }, place) => ({
    id: newId(),
    escrowId: escrow.id,
    place,
    key,
    title,
    amount: BigInt(amount),
    released: 0n,
    deliveryStatus: 'NONE',
    verifiedAt: null,
    autoReleaseAt: null,
  }))
}

interface Payer {
  /** The organization that pays. */
  payer: string | null
  isSelfDeal: boolean
  actorId: string
}

function fundNegotiation(draft: DealDraft, { payer, isSelfDeal, actorId }: Payer): void {
  const { negotiation, sellerAgent } = draft.deal
  const acceptanceSchema = negotiation.acceptanceSchema ?? ruleOfAgent(sellerAgent?.outputSchema)
  // A direct payment opens its negotiation funded: there is nothing to move.
  if (negotiation.status === 'ESCROWED') {
    draft.setNegotiation({ acceptanceSchema })
    return
  }
  draft.moveNegotiation({
    event: 'fund',
    by: 'buyer',
    actorId,
    set: {
      fundBy: null,
      acceptanceSchema,
      // What an organization pays is its deal from now on, whoever opened it.
      buyerOrganizationId: payer,
      selfDeal: negotiation.selfDeal || isSelfDeal,
    },
    details: { price: moneyNumber(negotiation.price) },
  })
}

/** 400 for wallets of another currency, one wallet on both sides, and a deal whose time to deliver has passed. */
export function requirePayable(
  { currency, deliverBy }: NegotiationRow,
  wallets: { source: Wallet; destination: Wallet },
  now: Date,
): void {
  const { source, destination } = wallets
  for (const wallet of [source, destination])
    if (wallet.currency !== currency)
      throw apiError(WALLETS.CURRENCY_MISMATCH, {
        hint: `The deal is in ${currency}, wallet ${wallet.id} holds ${wallet.currency}`,
      })
  if (source.id === destination.id) throw invalid('a wallet cannot pay itself')
  if (deliverBy && deliverBy <= now) throw invalid('the agreed deliverBy has passed: negotiate again')
}

/** The rate of the plan of the seller's owner, which stays with the escrow. 409 where the buyer expected another one. */
export function feeOf(plan: keyof typeof FEE_BPS, expectedFeeBps: number | undefined): number {
  const feeBps = FEE_BPS[plan]
  if (expectedFeeBps !== undefined && expectedFeeBps !== feeBps)
    throw apiError(AP2.FEE_CHANGED, { hint: `The fee is ${feeBps} basis points`, details: { feeBps } })
  return feeBps
}
