import { serviceAccounts } from '#identity'
import { accounts, openAccounts, writeJournal, type Journal } from '#ledger'
import { requireWallet } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { publish } from '#platform/kernel/events'
import type { Leg } from '#platform/kernel/money'
import { writeTogether } from '#platform/kernel/sql'
import { lockFunded, type FundedDeal } from '../deal/deal.ts'
import { isSelfDeal, organizationOf } from '../deal/organizations.ts'
import { changesOf } from '../deal/plan.ts'
import { escrowHeld } from '../events.ts'
import { freezeDeal, keysRevokedReason } from './freeze.ts'
import {
  planConfirmation,
  planFailure,
  planFailureOfSeller,
  sellerEndOf,
  type HoldPlan,
  type SellerEnd,
} from './hold-plan.ts'
import { escrowEventOf } from './settle.ts'

export interface Held {
  deal: FundedDeal
  journal: Journal
  legs: Leg[]
}

/** Writes a payment from a wallet: the deal, the event, and one journal. */
export async function applyHold(
  tx: Tx,
  plan: HoldPlan,
  { memo, author, revokedAgents }: { memo?: string; author: string; revokedAgents: readonly string[] },
): Promise<Held> {
  const { escrow, negotiation } = plan.deal
  const { legs } = plan
  await writeHold(tx, plan)
  const reference = sealedTerms(plan.deal)
  const journal = writeJournal(tx, { kind: 'ap2.hold', key: negotiation.id, legs, memo, author, reference }, [
    accounts.escrow(escrow.id),
  ])
  return { deal: await freezeWithoutKeys(tx, plan.deal, revokedAgents), journal, legs }
}

async function writeHold(tx: Tx, plan: HoldPlan): Promise<void> {
  const { amount, feeBps } = plan.deal.escrow
  tx.write(writeTogether(changesOf(plan)))
  await publish(tx, escrowHeld, { ...escrowEventOf(plan.deal), amount, feeBps })
}

/** Sealed with the journal that funds an escrow: who is to be paid, at which rate, and what was agreed. */
const sealedTerms = ({ escrow, negotiation }: FundedDeal): Record<string, string> => ({
  escrowId: escrow.id,
  negotiationId: negotiation.id,
  sellerWalletId: escrow.sellerWalletId,
  feeBps: String(escrow.feeBps),
  ...(escrow.termsSha256 ? { termsSha256: escrow.termsSha256 } : {}),
})

/** Money that becomes held while an agent's keys are revoked starts FROZEN. */
async function freezeWithoutKeys(
  tx: Tx,
  deal: FundedDeal,
  revokedAgents: readonly string[],
): Promise<FundedDeal> {
  let frozen = deal
  for (const agentId of revokedAgents) frozen = await freezeDeal(tx, frozen, keysRevokedReason(agentId))
  return frozen
}

/** What the journal of the arriving funds adds for the escrow. */
export interface ConfirmedHold {
  legs: Leg[]
  reference: Record<string, string>
}

/**
 * The funds of a reserved escrow arrive in the buyer's wallet with the journal that the caller posts in this transaction:
 * the escrow is HELD. Otherwise the money stays in the wallet: `late` for an escrow that is not PENDING_FUNDING any more, or
 * whose agreed deliverBy has passed, and the reason of `sellerEndOf` if the seller would not deliver.
 */
export async function confirmFunding(tx: Tx, escrowId: string): Promise<ConfirmedHold | 'late' | SellerEnd> {
  const deal = await lockFunded(tx, escrowId)
  const { escrow, negotiation } = deal
  if (escrow.status !== 'PENDING_FUNDING') return 'late'
  if (negotiation.deliverBy && negotiation.deliverBy <= tx.now) {
    tx.write(writeTogether(changesOf(planFailure(deal, 'timer', tx.now))))
    return 'late'
  }
  const sellerEnd = sellerEndOf(deal)
  if (sellerEnd) {
    tx.write(writeTogether(changesOf(planFailureOfSeller(deal, sellerEnd, tx.now))))
    return sellerEnd
  }
  const revokedAgents: string[] = []
  for (const agentId of new Set([negotiation.buyerAgentId, negotiation.sellerAgentId]))
    if (agentId && (await serviceAccounts.areAgentKeysRevoked(tx, agentId))) revokedAgents.push(agentId)
  const plan = planConfirmation(deal, await payerOf(tx, deal), tx.now)
  await writeHold(tx, plan)
  await openAccounts(tx, [{ account: accounts.escrow(escrow.id), asset: escrow.currency }])
  await freezeWithoutKeys(tx, plan.deal, revokedAgents)
  return { legs: plan.legs, reference: sealedTerms(plan.deal) }
}

async function payerOf(tx: Tx, { escrow }: FundedDeal) {
  const source = await requireWallet(tx, escrow.buyerWalletId)
  const payer = organizationOf(source)
  const destination = await requireWallet(tx, escrow.sellerWalletId)
  return { payer, isSelfDeal: payer !== null && (await isSelfDeal(tx, source, destination)) }
}

/** The funding of a reserved escrow failed: it is CANCELLED, and its negotiation can be funded again. */
export async function failFunding(tx: Tx, escrowId: string, by: 'processor' | 'timer'): Promise<void> {
  const deal = await lockFunded(tx, escrowId)
  if (deal.escrow.status === 'PENDING_FUNDING')
    tx.write(writeTogether(changesOf(planFailure(deal, by, tx.now))))
}

/** Timer: the funds were not confirmed in time. */
export async function cancelUnconfirmed(tx: Tx, escrowId: string): Promise<void> {
  const { escrow } = await lockFunded(tx, escrowId)
  if (escrow.fundBy && escrow.fundBy <= tx.now) await failFunding(tx, escrowId, 'timer')
}
