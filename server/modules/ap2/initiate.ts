import assert from 'node:assert/strict'
import { assertTradable, type Agent } from '#agents'
import { accountById, agentKeysRevoked } from '#identity'
import { accounts, openAccounts, post, type Journal } from '#ledger'
import { chooseDebit, createWallet, defaultWallet, demandOwnWallet, walletById, type Wallet } from '#wallets'
import { after, DAY } from '#platform/clock'
import type { Tx } from '#platform/db'
import { COMMON, fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { newId } from '#platform/id'
import { transition } from '#platform/machine'
import { formatMoney, moneyNumber, parseAmount, type Leg } from '#platform/money'
import { react } from '#platform/reactions'
import { actorIdOf, lockDeal, requireOwnedSide, type Deal } from './deal.ts'
import { bounded } from './bounded.ts'
import { openDirectDeal } from './direct.ts'
import { AP2, cannot } from './faults.ts'
import { FEE_BPS } from './fee.ts'
import { freezeDeal, keysRevokedReason } from './freeze.ts'
import { holdLegs } from './legs.ts'
import { negotiationMachine } from './negotiation-machine.ts'
import { isSelfDeal, organizationOf } from './organizations.ts'
import type { EscrowRow, MilestoneRow, NegotiationRow } from './rows.ts'
import { factOf } from './settle.ts'
import * as statements from './sql.ts'
import { demandTier, type Rules } from './tier.ts'

export interface InitiateInput {
  negotiationId?: string
  sourceWalletId?: string
  destinationWalletId?: string
  amount?: number | string
  currency?: string
  rail?: 'wallet' | 'card' | 'x402'
  purpose?: string
  memo?: string
  metadata?: object
  expectedFeeBps?: number
}

export interface Held { escrow: EscrowRow; journal: Journal; legs: Leg[] }

const DELIVERY_TIME = 30 * DAY
export const WHOLE = 'all'

/** The buyer pays an accepted negotiation, or one wallet another, into escrow: money, escrow and deal move together or not at all. */
export async function initiate(tx: Tx, actor: Actor, input: InitiateInput, rules: Rules): Promise<Held> {
  if (input.rail && input.rail !== 'wallet') {
    throw fault(AP2.RAIL_UNAVAILABLE, {
      hint: `Pay from a wallet: fund it with POST /wallets/{id}/fund, then send rail "wallet" instead of "${input.rail}"`,
    })
  }
  if (input.negotiationId === undefined) return hold(tx, actor, {
    ...await openDirectDeal(tx, actor, input), input, rules,
  })
  const deal = await lockDeal(tx, input.negotiationId)
  requireOwnedSide(actor, deal, 'buyer')
  if (deal.negotiation.status !== 'ACCEPTED') throw cannot('fund', deal.negotiation.status)
  if (input.amount !== undefined && parseAmount(input.amount) !== deal.negotiation.price) {
    throw invalid(`amount is not the agreed price: ${formatMoney(deal.negotiation.price)}`)
  }
  const source = await payingWallet(tx, actor, deal, input.sourceWalletId)
  const destination = await receivingWallet(tx, deal)
  if (input.destinationWalletId !== undefined && input.destinationWalletId !== destination.id) {
    throw invalid('destinationWalletId is not the seller\'s wallet of this negotiation')
  }
  return hold(tx, actor, { deal, source, destination, input, rules })
}

interface Funding { deal: Deal; source: Wallet; destination: Wallet; input: InitiateInput; rules: Rules }

async function hold(tx: Tx, actor: Actor, funding: Funding): Promise<Held> {
  const { deal: { negotiation, buyerAgent, sellerAgent }, source, destination, input, rules } = funding
  for (const agent of [buyerAgent, sellerAgent]) if (agent) assertTradable(agent)
  demandTier(rules, sellerAgent, negotiation.price)
  demandPayable(negotiation, funding, tx.now)
  for (const agentId of agentIds(negotiation)) await tx.run(statements.lockAgentDeals(agentId, true))
  const feeBps = await feeOfSeller(tx, negotiation, input)
  const purse = await chooseDebit(tx, source, negotiation.price)
  const escrow = await tx.one(statements.insert<EscrowRow>('ap2_escrow', {
    id: newId(), negotiation_id: negotiation.id, status: 'HELD', buyer_wallet_id: source.id,
    seller_wallet_id: destination.id, currency: negotiation.currency,
    test: purse.test, amount: negotiation.price, fee_bps: feeBps,
    deliver_by: negotiation.deliver_by ?? after(tx.now, DELIVERY_TIME),
    purpose: input.purpose ?? null, memo: input.memo ?? null, metadata: bounded(input.metadata, 'metadata'),
    created_at: tx.now, updated_at: tx.now,
  }))
  await noteHeld(tx, actor, escrow)
  const milestones = await openMilestones(tx, negotiation, escrow)
  const funded = await fundNegotiation(tx, actor, funding)
  await openAccounts(tx, [{ account: accounts.escrow(escrow.id), asset: escrow.currency }])
  const returned = await react(tx, 'escrow.held', { ...factOf(negotiation, escrow), amount: escrow.amount, feeBps })
  const legs = [...holdLegs(escrow, purse.account, escrow.amount), ...returned.legs]
  const journal = await post(tx, {
    kind: 'ap2.hold', key: negotiation.id, legs, memo: input.memo, author: actor.accountId,
    // Sealed with the journal: who is to be paid, and at which rate.
    reference: { escrowId: escrow.id, negotiationId: negotiation.id, sellerWalletId: escrow.seller_wallet_id, feeBps: String(feeBps) },
  })
  const frozen = await freezeWithoutKeys(tx, { ...funding.deal, negotiation: funded, escrow, milestones })
  return { escrow: frozen, journal, legs }
}

const agentIds = (negotiation: NegotiationRow): string[] =>
  [...new Set([negotiation.buyer_agent_id, negotiation.seller_agent_id])].filter(id => id !== null).sort()

function demandPayable({ currency, deliver_by: deliverBy }: NegotiationRow, { source, destination }: Funding, now: Date): void {
  for (const wallet of [source, destination]) {
    if (wallet.currency !== currency) throw fault(AP2.CURRENCY_MISMATCH, {
      hint: `The deal is in ${currency}, wallet ${wallet.id} holds ${wallet.currency}`,
    })
  }
  if (source.id === destination.id) throw invalid('a wallet cannot pay itself')
  if (deliverBy && deliverBy <= now) throw invalid('the agreed deliverBy has passed: negotiate again')
}

/** The rate is that of the seller's owner now, and stays with the escrow. */
async function feeOfSeller(tx: Tx, negotiation: NegotiationRow, { expectedFeeBps }: InitiateInput): Promise<number> {
  const owner = await accountById(tx, negotiation.seller_account_id)
  const feeBps = FEE_BPS[owner?.plan ?? 'FREE']
  if (expectedFeeBps !== undefined && expectedFeeBps !== feeBps) throw fault(AP2.FEE_CHANGED, {
    hint: `The fee is ${feeBps} basis points`, details: { feeBps },
  })
  return feeBps
}

async function noteHeld(tx: Tx, actor: Actor, escrow: EscrowRow): Promise<void> {
  await tx.run(statements.insert('ap2_escrow_history', {
    id: newId(), subject_id: escrow.id, event: 'hold', from_status: '', to_status: 'HELD', actor: 'buyer',
    actor_id: actorIdOf(actor), at: tx.now,
    details: JSON.stringify({
      amount: formatMoney(escrow.amount), currency: escrow.currency, feeBps: escrow.fee_bps, test: escrow.test,
    }),
  }))
}

async function openMilestones(tx: Tx, negotiation: NegotiationRow, escrow: EscrowRow): Promise<MilestoneRow[]> {
  const agreed = negotiation.milestones ?? [{
    key: WHOLE, title: negotiation.requested_service, amount: String(escrow.amount),
  }]
  const rows: MilestoneRow[] = []
  for (const [place, { key, title, amount }] of agreed.entries()) {
    rows.push(await tx.one(statements.insert<MilestoneRow>('ap2_milestone', {
      id: newId(), escrow_id: escrow.id, place, key, title, amount: BigInt(amount),
    })))
  }
  return rows
}

async function fundNegotiation(tx: Tx, actor: Actor, { deal: { negotiation, sellerAgent }, source, destination }: Funding): Promise<NegotiationRow> {
  const schema = negotiation.acceptance_schema ?? sellerAgent?.outputSchema ?? null
  // What an organization pays is its deal from now on, whoever opened it.
  const payer = organizationOf(source)
  const set = {
    fund_by: null, acceptance_schema: schema && JSON.stringify(schema), buyer_organization_id: payer,
    self_deal: negotiation.self_deal || (payer !== null && await isSelfDeal(tx, source, destination)),
  }
  // A direct payment opens its negotiation funded: there is nothing to move.
  if (negotiation.status === 'ESCROWED') {
    return tx.one(statements.update<NegotiationRow>('ap2_negotiation', negotiation.id, { acceptance_schema: schema }))
  }
  return transition(tx, negotiationMachine, negotiation, {
    event: 'fund', by: 'buyer', actorId: actorIdOf(actor), set, details: { price: moneyNumber(negotiation.price) },
  })
}

/** Money that becomes held while an agent's keys are revoked starts FROZEN. */
async function freezeWithoutKeys(tx: Tx, deal: Deal & { escrow: EscrowRow }): Promise<EscrowRow> {
  let { escrow } = deal
  for (const agentId of agentIds(deal.negotiation)) {
    if (await agentKeysRevoked(tx, agentId)) {
      escrow = await freezeDeal(tx, { ...deal, escrow }, keysRevokedReason(agentId))
    }
  }
  return escrow
}

async function payingWallet(tx: Tx, actor: Actor, { negotiation, buyerAgent }: Deal, sourceWalletId: string | undefined): Promise<Wallet> {
  const organizationId = negotiation.buyer_organization_id
  if (sourceWalletId !== undefined) {
    const source = await demandOwnWallet(tx, actor, sourceWalletId)
    if (organizationId && organizationOf(source) !== organizationId) throw fault(COMMON.FORBIDDEN, { hint: 'An organization pays from its own wallets' })
    return source
  }
  const [ownerType, ownerId] = payerOf(negotiation, buyerAgent)
  const wallet = await defaultWallet(tx, ownerType, ownerId, negotiation.currency)
  if (!wallet) throw fault(AP2.CURRENCY_MISMATCH, {
    hint: `You have no ${negotiation.currency} wallet: create one with POST /wallets`,
  })
  return demandOwnWallet(tx, actor, wallet.id)
}

function payerOf({ buyer_organization_id: organizationId, buyer_account_id: accountId }: NegotiationRow, buyerAgent: Agent | null) {
  if (buyerAgent) return ['AGENT', buyerAgent.id] as const
  return organizationId ? ['ORGANIZATION', organizationId] as const : ['USER', accountId] as const
}

/** The seller's wallet of the deal's currency, made when it is the first money of that kind. */
async function receivingWallet(tx: Tx, { negotiation, sellerAgent }: Deal): Promise<Wallet> {
  assert(sellerAgent, 'an accepted negotiation has a selling agent')
  const own = await walletById(tx, sellerAgent.walletId)
  if (own?.currency === negotiation.currency) return own
  return await defaultWallet(tx, 'AGENT', sellerAgent.id, negotiation.currency)
    ?? createWallet(tx, {
      ownerType: 'AGENT', ownerId: sellerAgent.id, accountId: sellerAgent.ownerId, currency: negotiation.currency,
    })
}
