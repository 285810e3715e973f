import { agentById, type Agent } from '#agents'
import { demandOwnWallet, demandReceivingWallet, type Wallet } from '#wallets'
import type { Tx } from '#platform/db'
import { invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { newId } from '#platform/id'
import { parseAmount } from '#platform/money'
import type { Deal } from './deal.ts'
import type { InitiateInput } from './initiate.ts'
import { AUTO_RELEASE_DAYS, noteRound, partiesOf, SILENCE_SECONDS } from './negotiation.ts'
import { isSelfDeal, organizationOf, personBehind, staffOfDeals } from './organizations.ts'
import type { NegotiationRow } from './rows.ts'
import * as statements from './sql.ts'

interface DirectDeal { deal: Deal; source: Wallet; destination: Wallet }

/** A payment from wallet to wallet needs no talks: its negotiation is made ESCROWED, at the amount. */
export async function openDirectDeal(tx: Tx, actor: Actor, input: InitiateInput): Promise<DirectDeal> {
  const { sourceWalletId, destinationWalletId, amount } = input
  if (sourceWalletId === undefined || destinationWalletId === undefined || amount === undefined) {
    throw invalid('send negotiationId, or sourceWalletId, destinationWalletId and amount')
  }
  const source = await demandOwnWallet(tx, actor, sourceWalletId)
  const destination = await demandReceivingWallet(tx, destinationWalletId)
  const buyerAgent = await agentOf(tx, source)
  const sellerAgent = await agentOf(tx, destination)
  const price = parseAmount(amount)
  const parties = sellerAgent
    ? partiesOf(actor, buyerAgent, sellerAgent)
    : { buyer_account_id: actor.accountId, buyer_agent_id: buyerAgent?.id ?? null, seller_account_id: await personBehind(tx, destination), seller_agent_id: null }
  const negotiation = await tx.one(statements.insert<NegotiationRow>('ap2_negotiation', {
    ...parties, self_deal: parties.self_deal === true || await isSelfDeal(tx, source, destination),
    buyer_organization_id: organizationOf(source), seller_organization_id: organizationOf(destination),
    id: newId(), status: 'ESCROWED', requested_service: input.purpose ?? 'Direct payment', currency: source.currency,
    budget: price, price, offered_by: 'buyer',
    auto_release_days: AUTO_RELEASE_DAYS, silence_seconds: SILENCE_SECONDS, created_at: tx.now, updated_at: tx.now,
  }))
  await noteRound(tx, negotiation, { actor, action: 'PROPOSED', notes: input.memo })
  const staff = await staffOfDeals(tx, [negotiation])
  return { deal: { negotiation, escrow: null, milestones: [], buyerAgent, sellerAgent, staff }, source, destination }
}

const agentOf = async (tx: Tx, { ownerType, ownerId }: Wallet): Promise<Agent | null> =>
  (ownerType === 'AGENT' ? await agentById(tx, ownerId) ?? null : null)
