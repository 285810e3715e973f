import { accounts, unfreezeAccount, writeJournal, type Journal } from '#ledger'
import { chargebacks } from '#payments'
import { lockEvidence, planOutcome, writeOutcome, type Evidence } from '#trust'
import { requireWallet, sweepIfDeleted } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { publish } from '#platform/kernel/events'
import type { Leg } from '#platform/kernel/money'
import { part, writeTogether, type SqlPart } from '#platform/kernel/sql'
import { negotiationOf, readFunded, type FundedDeal } from '../deal/deal.ts'
import { changesOf, type DealDraft } from '../deal/plan.ts'
import type { EscrowRow } from '../deal/rows.ts'
import { currencyOf, debtorOf, sellerAgentOf } from '../deal/sql.ts'
import { textErasures } from '../erasure/erase.ts'
import { escrowEnded, escrowReleased } from '../events.ts'
import { commissionLegs } from '../affiliation.ts'
import { endOf, planSettlement, type Settlement, type SettlementPlan } from './settlement-plan.ts'

/** What a settlement did, with the deal as it is afterwards. */
export interface Settled {
  deal: FundedDeal
  journal: Journal
  legs: Leg[]
  toSeller: bigint
  fee: bigint
  commission: bigint
}

/** What the command has prepared beside the deal. */
interface Prepared {
  draft?: DealDraft
  evidence?: Evidence | null
  /** What the seller owes in the currency of the escrow. */
  debts?: readonly chargebacks.Receivable[]
}

/** The one way in which money leaves an escrow: decides the settlement of a locked deal, and writes it with the commit. */
export async function settle(
  tx: Tx,
  deal: FundedDeal,
  order: Settlement,
  { draft, evidence, debts }: Prepared = {},
): Promise<Settled> {
  const plan = planSettlement(deal, order, tx.now, draft)
  await recordTrust(tx, plan, evidence)
  const recovery = [...(await recoveryLegs(tx, plan, debts)), ...(await refundRecoveryLegs(tx, plan))]
  const contributed = await writeDeal(tx, deal, plan)
  await freezeDisputedRefund(tx, deal, plan)
  return writeSettlement(tx, { ...plan, legs: [...plan.legs, ...recovery] }, { contributed, ...order })
}

interface ChargedBack extends Prepared {
  amount: bigint
  /** The freezes that stay if the escrow does. */
  freezes: readonly string[]
  details: Record<string, unknown>
}

/**
 * Takes a lost amount off the record of a frozen escrow: to the parties it is a refund. Whoever decided the chargeback posts
 * the journal.
 */
export async function settleIntoChargeback(
  tx: Tx,
  deal: FundedDeal,
  { draft, amount, freezes, details }: ChargedBack,
): Promise<void> {
  const set = { freezes: [...freezes] }
  const order = { event: 'charge_back', by: 'processor', toBuyer: amount, set, details } as const
  const plan = planSettlement(deal, order, tx.now, draft)
  await recordTrust(tx, plan)
  await writeDeal(tx, deal, plan)
  await closeForDeleted(tx, plan.deal)
}

/** What the seller owes is taken from what it gets; what a release brings in test credit pays no debt. */
async function recoveryLegs(
  tx: Tx,
  { deal: { escrow, negotiation }, toSeller, fee }: SettlementPlan,
  prepared: readonly chargebacks.Receivable[] | undefined,
): Promise<Leg[]> {
  if (!toSeller || escrow.test) return []
  const debts = prepared ?? (await lockDebtsOfSeller(tx, part`${negotiation.id}::uuid`))
  return chargebacks.recoverDebts(tx, debts, {
    account: accounts.wallet(escrow.sellerWalletId),
    atMost: toSeller - fee,
  })
}

/** What the buyer owes, such as for a lost top-up that paid the escrow, is taken from what comes back to its wallet. */
async function refundRecoveryLegs(
  tx: Tx,
  { deal: { escrow, negotiation }, legs, toSeller }: SettlementPlan,
): Promise<Leg[]> {
  const { sellerOrganizationId, sellerAccountId } = negotiation
  const wallet = accounts.wallet(escrow.buyerWalletId)
  const back = legs.filter(leg => leg.debit === accounts.escrow(escrow.id) && leg.credit === wallet)
  const amount = back.reduce((sum, leg) => sum + leg.amount, 0n)
  if (!amount || escrow.test) return []
  const buyer = await requireWallet(tx, escrow.buyerWalletId)
  // A party to both sides has paid as the seller already.
  if (toSeller && buyer.accountId === (sellerOrganizationId ?? sellerAccountId)) return []
  return chargebacks.recoverFromReturn(tx, buyer, amount)
}

/** What the seller of a negotiation (a subquery of its id) owes, for a command that reads it together with the deal. */
export const lockDebtsOfSeller = (tx: Tx, negotiation: SqlPart): Promise<chargebacks.Receivable[]> =>
  chargebacks.lockDebts(tx, debtorOf(negotiation), currencyOf(negotiation))

/** What `settle` needs to know about the seller, for a command that reads it together with the deal. */
export const evidenceForRelease = (tx: Tx, escrowId: string): Promise<Evidence | null> =>
  lockEvidence(tx, sellerAgentOf(negotiationOf(escrowId)), part`(${negotiationOf(escrowId)})`)

async function recordTrust(tx: Tx, { trust }: SettlementPlan, prepared?: Evidence | null): Promise<void> {
  if (!trust) return
  const { agentId, dealId } = trust.end
  const evidence = prepared ?? (await lockEvidence(tx, agentId, dealId))
  const change = evidence && planOutcome(evidence, trust.end, trust.outcome, tx.now)
  if (change) writeOutcome(tx, change)
}

/** Writes the deal of a plan, and returns what the modules above add to its journal. */
async function writeDeal(tx: Tx, before: FundedDeal, plan: SettlementPlan): Promise<Leg[]> {
  if (plan.deal.escrow.endedAt) await unfreezeLedgerAccount(tx, before.escrow)
  tx.write(writeTogether(changesOf(plan)))
  return publishSettlement(tx, plan)
}

/** Writes the journal of a plan. */
async function writeSettlement(
  tx: Tx,
  plan: SettlementPlan,
  { memo, author, contributed }: Pick<Settlement, 'memo' | 'author'> & { contributed: readonly Leg[] },
): Promise<Settled> {
  const { escrow } = plan.deal
  const legs = [...plan.legs, ...contributed]
  const journal = writeJournal(tx, {
    kind: plan.kind,
    key: plan.key,
    legs,
    memo,
    author,
    reference: { escrowId: escrow.id, negotiationId: escrow.negotiationId },
  })
  const { toSeller, fee } = plan
  const deal = await closeForDeleted(tx, plan.deal)
  return { deal, journal, legs, toSeller, fee, commission: commissionIn(contributed) }
}

const commissionIn = (legs: readonly Leg[]): bigint =>
  legs.filter(leg => leg.debit === accounts.commission).reduce((sum, leg) => sum + leg.amount, 0n)

/**
 * An operator may refund a deal while the bank decides about its payment: the money stays frozen, in the wallet of the buyer.
 * A refund to the card ends there too, because the processor refuses it meanwhile.
 */
async function freezeDisputedRefund(
  tx: Tx,
  { escrow: { freezes, buyerWalletId, currency: asset, refunded } }: FundedDeal,
  { deal }: SettlementPlan,
): Promise<void> {
  const disputeIds = chargebacks.disputesAmong(freezes)
  if (!disputeIds.length || deal.escrow.refunded === refunded) return
  const wallet = await requireWallet(tx, buyerWalletId)
  for (const disputeId of disputeIds) await chargebacks.freezeDisputedWallet(tx, wallet, { asset, disputeId })
}

async function unfreezeLedgerAccount(tx: Tx, { id, freezes, currency }: EscrowRow): Promise<void> {
  for (const reason of freezes) await unfreezeAccount(tx, accounts.escrow(id), currency, reason)
}

/** Money of a deleted owner does not stay in its wallet, and the text of a deleted party is erased when the deal ends. */
async function closeForDeleted(tx: Tx, deal: FundedDeal): Promise<FundedDeal> {
  const { escrow, deletedSides, hasOrphanWallet } = deal
  if (!deletedSides.size && !hasOrphanWallet) return deal
  for (const walletId of [escrow.buyerWalletId, escrow.sellerWalletId].sort())
    await sweepIfDeleted(tx, walletId)
  if (escrow.endedAt)
    for (const statement of textErasures([{ id: escrow.negotiationId, deleted: deletedSides }]))
      await tx.run(statement)
  return readFunded(tx, escrow.id)
}

/** Publishes what happened, and returns the legs that others earn from a release. */
async function publishSettlement(
  tx: Tx,
  { deal, toSeller, fee, isVerified: verified }: SettlementPlan,
): Promise<Leg[]> {
  const { escrow } = deal
  const about = escrowEventOf(deal)
  const legs: Leg[] = []
  if (toSeller) {
    const { releases: release, endedAt } = escrow
    const released = { ...about, amount: toSeller, fee, release, last: endedAt !== null, verified }
    await publish(tx, escrowReleased, released)
    legs.push(...(await commissionLegs.call(tx, released)).flat())
  }
  if (escrow.endedAt) {
    const { released, refunded, fees } = escrow
    await publish(tx, escrowEnded, { ...about, status: endOf(escrow), released, refunded, fees })
  }
  return legs
}

/** The fields that every event of an escrow has. */
export const escrowEventOf = ({ negotiation, escrow }: FundedDeal) => ({
  escrowId: escrow.id,
  negotiationId: negotiation.id,
  sellerAgentId: negotiation.sellerAgentId,
  sellerAccountId: negotiation.sellerAccountId,
  buyerAgentId: negotiation.buyerAgentId,
  buyerAccountId: negotiation.buyerAccountId,
  asset: escrow.currency,
  test: escrow.test,
  selfDeal: negotiation.selfDeal,
  isRun: negotiation.isRun,
})
