import assert from 'node:assert/strict'
import { agentById, type Agent } from '#agents'
import { serviceAccounts } from '#identity'
import { lockBalances } from '#ledger'
import { subAccounts, requireOwnWallet, requireReceivingWallet, type Wallet } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { parseAmount, type Asset } from '#platform/kernel/money'
import { part } from '#platform/kernel/sql'
import { actorIdOf, newDeal } from '../deal/deal.ts'
import { isSelfDeal, organizationOf, personBehind } from '../deal/organizations.ts'
import { limitJsonSize } from '../deal/json-size.ts'
import { DealDraft } from '../deal/plan.ts'
import { lockFundingOf } from '../deal/sql.ts'
import { newNegotiation, partiesOf, roundOf } from '../negotiation/negotiation-plan.ts'
import type { InitiateInput } from './initiate.ts'
import type { Payment } from './wallets.ts'

/** A payment from wallet to wallet has no negotiation before it: one is created ESCROWED, at the amount. */
export async function openDirectDeal(tx: Tx, ctx: RequestContext, input: InitiateInput): Promise<Payment> {
  const { sourceWalletId, destinationWalletId, amount } = input
  if (sourceWalletId === undefined || destinationWalletId === undefined || amount === undefined) {
    throw invalid('send negotiationId, or sourceWalletId, destinationWalletId and amount')
  }
  const source = await requireOwnWallet(tx, ctx, sourceWalletId)
  const destination = await requireReceivingWallet(tx, destinationWalletId)
  return openPaidDeal(tx, ctx, {
    source,
    destination,
    buyerAgent: await agentOf(tx, source),
    sellerAgent: await agentOf(tx, destination),
    price: parseAmount(amount),
    requestedService: input.serviceDescription?.trim() || input.purpose || 'Direct payment',
    // Not the field itself: an acceptance rule is agreed in a negotiation.
    requirements:
      input.input === undefined ? undefined : limitJsonSize({ input: input.input }, 'requirements'),
    notes: input.memo,
  })
}

/** A deal that begins with its payment, between two wallets that were checked. */
export interface PaidDeal {
  source: Wallet
  destination: Wallet
  buyerAgent: Agent | null
  sellerAgent: Agent | null
  price: bigint
  requestedService: string
  requirements?: unknown
  /** That of the wallet that pays by default; another one is 400. */
  currency?: Asset
  notes?: string
  isRun?: boolean
}

/** Opens the negotiation of such a deal, ESCROWED, and locks what its payment needs. */
export async function openPaidDeal(tx: Tx, ctx: RequestContext, order: PaidDeal): Promise<Payment> {
  const {
    source,
    destination,
    buyerAgent,
    sellerAgent,
    price,
    requestedService,
    requirements,
    isRun = false,
  } = order
  const parties = sellerAgent
    ? partiesOf(ctx, buyerAgent, sellerAgent)
    : {
        buyerAccountId: ctx.principal.accountId,
        buyerAgentId: buyerAgent?.id ?? null,
        sellerAccountId: await personBehind(tx, destination),
        sellerAgentId: null,
        selfDeal: false,
      }
  const negotiation = newNegotiation(
    {
      ...parties,
      selfDeal: parties.selfDeal || (await isSelfDeal(tx, source, destination)),
      buyerOrganizationId: organizationOf(source),
      sellerOrganizationId: organizationOf(destination),
      status: 'ESCROWED',
      isRun,
      requestedService,
      requirements,
      currency: order.currency ?? source.currency,
      price,
    },
    tx.now,
  )
  const draft = new DealDraft(newDeal(negotiation, { buyerAgent, sellerAgent }), tx.now)
  draft.openNegotiation(negotiation)
  const round = { actorId: actorIdOf(ctx), side: 'buyer', action: 'PROPOSED', notes: order.notes } as const
  draft.addRound(roundOf(negotiation, round, tx.now))
  const agentIds = [buyerAgent, sellerAgent].flatMap(agent => (agent ? [agent.id] : []))
  await tx.run(lockFundingOf(part`select unnest(${agentIds}::uuid[])`))
  const terms = await serviceAccounts.planAndRevokedAgents(
    tx,
    part`${negotiation.sellerAccountId}::uuid`,
    part`select unnest(${agentIds}::uuid[])`,
  )
  assert(terms)
  return {
    deal: draft.deal,
    source,
    destination,
    terms,
    balances: await lockBalances(tx, subAccounts(source), source.currency),
    draft,
  }
}

const agentOf = async (tx: Tx, { ownerType, ownerId }: Wallet): Promise<Agent | null> =>
  ownerType === 'AGENT' ? ((await agentById(tx, ownerId)) ?? null) : null
