import { requireStepUp } from '#identity'
import { accounts, freezeAccount, unfreezeAccount } from '#ledger'
import { audit, SYSTEM } from '#platform/kernel/audit'
import { after } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { COMMON, apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney } from '#platform/kernel/money'
import { part, writeTogether } from '#platform/kernel/sql'
import { lockDealIfAny, lockFunded, sidesOf, type FundedDeal } from '../deal/deal.ts'
import { changesOf, DealDraft, postponeReleases } from '../deal/plan.ts'
import { AP2, cannot } from '../errors.ts'
import { heldOf, isLive } from '../deal/rows.ts'
import * as statements from '../deal/sql.ts'

const KEYS_REVOKED = 'agent_keys_revoked:'
export const keysRevokedReason = (agentId: string): string => `${KEYS_REVOKED}${agentId}`

const LOST = 'chargeback_lost:'
/** Of a part of the money that was lost: the deal cannot continue as agreed, and only a resolution ends the freeze. */
export const lostReason = (disputeId: string): string => `${LOST}${disputeId}`

/** Adds a reason for which the money may not move; the timers stop with the first one. The deal is locked. */
export async function freezeDeal(tx: Tx, deal: FundedDeal, reason: string): Promise<FundedDeal> {
  const { escrow } = deal
  if (escrow.freezes.includes(reason)) return deal
  const freezes = [...escrow.freezes, reason]
  await freezeAccount(tx, accounts.escrow(escrow.id), escrow.currency, reason)
  await audit(tx, SYSTEM, 'escrow.frozen', { target: ['escrow', escrow.id], details: { reason } })
  const draft = new DealDraft(deal, tx.now)
  if (escrow.status === 'FROZEN') draft.setEscrow({ freezes })
  else
    draft.moveEscrow({
      event: 'freeze',
      by: 'system',
      set: { originalStatus: escrow.status, freezes, frozenAt: tx.now },
      details: { reason },
    })
  tx.write(writeTogether(changesOf(draft)))
  return draft.fundedDeal
}

/** Takes reasons away; with the last one the escrow is again what it was, its timers with the time that was left. */
export async function unfreezeDeal(
  tx: Tx,
  deal: FundedDeal,
  reasons: readonly string[],
  by: { ctx: RequestContext; why?: string } | null,
): Promise<FundedDeal> {
  const { escrow, negotiation } = deal
  const author = by?.ctx ?? SYSTEM
  for (const reason of reasons) {
    await unfreezeAccount(tx, accounts.escrow(escrow.id), escrow.currency, reason)
    await audit(tx, author, 'escrow.unfrozen', {
      target: ['escrow', escrow.id],
      details: { reason, why: by?.why },
      about: [negotiation.buyerAccountId, negotiation.sellerAccountId],
    })
  }
  const draft = new DealDraft(deal, tx.now)
  const freezes = escrow.freezes.filter(reason => !reasons.includes(reason))
  if (freezes.length) draft.setEscrow({ freezes })
  else resume(draft, deal, { operatorId: by?.ctx.principal.accountId ?? null, reason: reasons.at(-1) })
  tx.write(writeTogether(changesOf(draft)))
  return draft.fundedDeal
}

function resume(
  draft: DealDraft,
  { escrow, milestones }: FundedDeal,
  { operatorId, reason }: { operatorId: string | null; reason: string | undefined },
): void {
  const { now } = draft
  const stoppedMs = now.getTime() - (escrow.frozenAt ?? now).getTime()
  const disputed = escrow.originalStatus === 'DISPUTED'
  if (!disputed) postponeReleases(draft, milestones, stoppedMs)
  draft.moveEscrow({
    event: 'unfreeze',
    by: operatorId === null ? 'system' : 'operator',
    actorId: operatorId,
    to: escrow.originalStatus ?? 'HELD',
    details: { reason },
    set: {
      originalStatus: null,
      freezes: [],
      frozenAt: null,
      ...(disputed
        ? {
            answerBy: escrow.answerBy && after(escrow.answerBy, stoppedMs),
            lapsesAt: escrow.lapsesAt && after(escrow.lapsesAt, stoppedMs),
          }
        : { deliverBy: after(escrow.deliverBy, stoppedMs) }),
    },
  })
}

/**
 * Freezes every escrow in which the agent buys or sells. Waits for deals that are being funded, which otherwise see that
 * the keys are revoked.
 */
export async function freezeDealsOfRevokedAgent(tx: Tx, { agentId }: { agentId: string }): Promise<void> {
  await tx.run(statements.lockAgentDeals(agentId))
  for (const { negotiationId: id } of await tx.rows(statements.liveDealsOfAgent(agentId))) {
    const deal = await lockDealIfAny(tx, part`${id}::uuid`)
    if (deal?.escrow && isLive(deal.escrow))
      await freezeDeal(tx, { ...deal, escrow: deal.escrow }, keysRevokedReason(agentId))
  }
}

/** The escrows that are frozen because the keys of the agent were revoked. */
export async function escrowsFrozenByRevocation(tx: Tx, { agentId }: { agentId: string }) {
  const escrows = await tx.rows(statements.escrowsFrozenFor(agentId, keysRevokedReason(agentId)))
  return escrows.map(escrow => ({
    escrowId: escrow.id,
    amount: formatMoney(heldOf(escrow)),
    originalStatus: escrow.originalStatus ?? escrow.status,
    counterpartyWalletId: escrow.sellerAgentId === agentId ? escrow.buyerWalletId : escrow.sellerWalletId,
  }))
}

/** Unfreezes the escrows that were frozen because the agent had no active key. */
export async function unfreezeDealsOfAgentWithNewKey(
  tx: Tx,
  { agentId }: { agentId: string },
): Promise<void> {
  await tx.run(statements.lockAgentDeals(agentId))
  const reason = keysRevokedReason(agentId)
  for (const { negotiationId: id, status } of await tx.rows(statements.liveDealsOfAgent(agentId))) {
    if (status !== 'FROZEN') continue
    const deal = await lockDealIfAny(tx, part`${id}::uuid`)
    if (!deal?.escrow?.freezes.includes(reason)) continue
    await unfreezeDeal(tx, { ...deal, escrow: deal.escrow }, [reason], null)
  }
}

/** An operator who is no party lifts one reason, or all of them. */
export async function unfreezeEscrow(
  tx: Tx,
  ctx: RequestContext,
  escrowId: string,
  { freeze, reason }: { freeze?: string; reason?: string },
): Promise<FundedDeal> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const deal = await lockFunded(tx, escrowId)
  requireNoParty(ctx, deal)
  const { status, freezes } = deal.escrow
  if (status !== 'FROZEN') throw cannot('unfreeze', status)
  if (freeze !== undefined && !freezes.includes(freeze))
    throw invalid(`freeze must be one of ${freezes.join(', ')}`)
  const lifted = freeze === undefined ? freezes : [freeze]
  if (lifted.some(each => each.startsWith(LOST)))
    throw cannot('unfreeze', status, 'a part of its money was lost in a chargeback: resolve it')
  return unfreezeDeal(tx, deal, lifted, { ctx, why: reason })
}

export function requireNoParty(ctx: RequestContext, deal: FundedDeal): void {
  if (sidesOf(ctx, deal).length)
    throw apiError(COMMON.FORBIDDEN, {
      hint: 'An operator cannot decide a deal in which they are a party',
    })
}

/** 409 while the agent has live escrows. */
export async function refuseArchivingWithLiveEscrows(
  tx: Tx,
  { agentId }: { agentId: string },
): Promise<void> {
  const live = await tx.rows(statements.liveDealsOfAgent(agentId))
  if (live.length)
    throw apiError(AP2.LIVE_ESCROW, { hint: 'These deals must end first', details: { escrows: live.length } })
}
