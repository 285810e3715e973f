import { demandStepUp } from '#identity'
import { accounts, freezeAccount, unfreezeAccount } from '#ledger'
import { audit } from '#platform/audit'
import { after } from '#platform/clock'
import type { Tx } from '#platform/db'
import { COMMON, fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { transition } from '#platform/machine'
import { formatMoney } from '#platform/money'
import { lockDeal, lockFunded, sidesOf, type FundedDeal } from './deal.ts'
import { escrowMachine } from './escrow-machine.ts'
import { AP2, cannot } from './faults.ts'
import { heldOf, isLive, type EscrowRow } from './rows.ts'
import * as statements from './sql.ts'

export const keysRevokedReason = (agentId: string): string => `agent_keys_revoked:${agentId}`

/** Adds a reason for which the money may not move; the timers stand still from the first one on. The deal is locked. */
export async function freezeDeal(tx: Tx, { escrow }: FundedDeal, reason: string): Promise<EscrowRow> {
  if (escrow.freezes.includes(reason)) return escrow
  const freezes = [...escrow.freezes, reason]
  await freezeAccount(tx, accounts.escrow(escrow.id), escrow.currency, reason)
  await audit(tx, {
    action: 'escrow.frozen', actorId: null, actorKind: 'system', target: 'escrow', targetId: escrow.id,
    details: { reason },
  })
  if (escrow.status === 'FROZEN') return tx.one(statements.update<EscrowRow>('ap2_escrow', escrow.id, { freezes }))
  return transition(tx, escrowMachine, escrow, {
    event: 'freeze', by: 'system', set: { original_status: escrow.status, freezes, frozen_at: tx.now },
    details: { reason },
  })
}

/** Takes reasons away; with the last one the escrow goes on where it stood, its timers with what was left. */
export async function unfreezeDeal(tx: Tx, { escrow, negotiation }: FundedDeal, reasons: readonly string[], by: { actor: Actor; why?: string } | null): Promise<EscrowRow> {
  const actor = by?.actor ?? null
  for (const reason of reasons) {
    await unfreezeAccount(tx, accounts.escrow(escrow.id), escrow.currency, reason)
    await audit(tx, {
      action: 'escrow.unfrozen', actorId: actor?.accountId ?? null, actorKind: actor?.kind ?? 'system',
      target: 'escrow', targetId: escrow.id, details: { reason, why: by?.why },
      about: [negotiation.buyer_account_id, negotiation.seller_account_id],
    })
  }
  const freezes = escrow.freezes.filter(reason => !reasons.includes(reason))
  if (freezes.length) return tx.one(statements.update<EscrowRow>('ap2_escrow', escrow.id, { freezes }))
  return resume(tx, escrow, actor)
}

async function resume(tx: Tx, escrow: EscrowRow, actor: Actor | null): Promise<EscrowRow> {
  const stood = tx.now.getTime() - (escrow.frozen_at ?? tx.now).getTime()
  const disputed = escrow.original_status === 'DISPUTED'
  if (!disputed) await tx.run(statements.postponeReleases(escrow.id, stood))
  return transition(tx, escrowMachine, escrow, {
    event: 'unfreeze', by: actor ? 'operator' : 'system', actorId: actor?.accountId,
    to: escrow.original_status ?? 'HELD',
    set: {
      original_status: null, freezes: [], frozen_at: null,
      ...(disputed
        ? {
          answer_by: escrow.answer_by && after(escrow.answer_by, stood),
          lapses_at: escrow.lapses_at && after(escrow.lapses_at, stood),
        }
        : { deliver_by: after(escrow.deliver_by, stood) }),
    },
  })
}

/**
 * Follows `agent.keys_revoked`: every escrow in which the agent buys or sells stands still, and the answer lists them.
 * Deals that are being funded meanwhile are waited for, or see the revoked keys.
 */
export async function freezeDealsOf(tx: Tx, { agentId }: { agentId: string }) {
  await tx.run(statements.lockAgentDeals(agentId, false))
  const frozenEscrows: { escrowId: string; amount: string; counterpartyWalletId: string; originalStatus: string }[] = []
  for (const { negotiation_id: id } of await tx.rows(statements.liveDealsOfAgent(agentId))) {
    const deal = await lockDeal(tx, id) as FundedDeal
    const { escrow, negotiation } = deal
    if (!isLive(escrow)) continue
    await freezeDeal(tx, deal, keysRevokedReason(agentId))
    frozenEscrows.push({
      escrowId: escrow.id, amount: formatMoney(heldOf(escrow)), originalStatus: escrow.original_status ?? escrow.status,
      counterpartyWalletId: negotiation.seller_agent_id === agentId ? escrow.buyer_wallet_id : escrow.seller_wallet_id,
    })
  }
  return { data: { frozenEscrows } }
}

/** Follows `agent.key_issued`: what stood still for want of a key goes on. */
export async function unfreezeDealsOf(tx: Tx, { agentId }: { agentId: string }): Promise<void> {
  await tx.run(statements.lockAgentDeals(agentId, false))
  const reason = keysRevokedReason(agentId)
  for (const { negotiation_id: id, status } of await tx.rows(statements.liveDealsOfAgent(agentId))) {
    if (status !== 'FROZEN') continue
    const deal = await lockDeal(tx, id) as FundedDeal
    if (deal.escrow.freezes.includes(reason)) await unfreezeDeal(tx, deal, [reason], null)
  }
}

/** An operator who is no party lifts one reason, or all of them. */
export async function unfreezeEscrow(tx: Tx, actor: Actor, escrowId: string, { freeze, reason }: { freeze?: string; reason?: string }): Promise<void> {
  await demandStepUp(tx, actor, tx.clock.real())
  const deal = await lockFunded(tx, escrowId)
  demandNoParty(actor, deal)
  const { status, freezes } = deal.escrow
  if (status !== 'FROZEN') throw cannot('unfreeze', status)
  if (freeze !== undefined && !freezes.includes(freeze)) throw invalid(`freeze must be one of ${freezes.join(', ')}`)
  await unfreezeDeal(tx, deal, freeze === undefined ? freezes : [freeze], { actor, why: reason })
}

export function demandNoParty(actor: Actor, deal: FundedDeal): void {
  if (sidesOf(actor, deal).length) throw fault(COMMON.FORBIDDEN, {
    hint: 'An operator cannot decide a deal in which they are a party',
  })
}

/** Follows `agent.archived`: an agent with live escrows stays. */
export async function refuseWithLiveEscrows(tx: Tx, { agentId }: { agentId: string }): Promise<void> {
  const live = await tx.rows(statements.liveDealsOfAgent(agentId))
  if (live.length) throw fault(AP2.LIVE_ESCROW, { hint: 'These deals must end first', details: { escrows: live.length } })
}
