import assert from 'node:assert/strict'
import { accounts, freezeAccount, lockBalances, post, unfreezeAccount } from '#ledger'
import { audit, SYSTEM } from '#platform/kernel/audit'
import { after, DAY } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { publish } from '#platform/kernel/events'
import { newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import { formatMoney, fromCents, toCents, type Asset, type Leg } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { json } from '#platform/kernel/sql'
import { walletFellShort } from '../events.ts'
import { rereadPayment } from '../intents/reread.ts'
import { answered, processorOf } from '../processor.ts'
import type { Dispute } from '../processors/dispute-port.ts'
import { insertDebt } from '../receivables/receivable.ts'
import { intentOfProcessorId, lockIntent, type Intent } from '../sql.ts'
import { feeLegs } from '../suspense/suspense.ts'
import { chargebackMachine, type ChargebackEvent } from './machine.ts'
import { requestChargebackMails } from './mail.ts'
import {
  chargeback,
  chargebackReason,
  type ChargebackEffect,
  type ChargebackStep,
  type LostPart,
} from './port.ts'
import * as statements from './sql.ts'
import type { Chargeback } from './sql.ts'

/**
 * What became of a report about a dispute: money moved (`booked`), or the report changed nothing (`known`). `dispute`: it
 * fits no payment here, `mismatch`: it contradicts what was posted. An operator looks after these two.
 */
export type Followed = 'booked' | 'known' | 'dispute' | 'mismatch'

/** How often the processor is asked about an open dispute, in case its notification was lost. */
export const ASK_EVERY = DAY

/**
 * Reads a dispute from the processor and brings its chargeback to the state that it has there, whatever notification was
 * received and in whatever order. NoAnswer: nothing changed, call it again.
 */
export async function followDispute(services: Services, disputeId: string): Promise<Followed> {
  const { db } = services
  const dispute = await answered(processorOf(services).disputes.read(disputeId))
  if (!dispute) return 'dispute'
  const found = await db.maybe(intentOfProcessorId(dispute.processorId))
  if (!found) return 'dispute'
  // A dispute implies that the payment was made: its own notification was lost.
  if (found.status !== 'SUCCEEDED')
    await rereadPayment(services, { paymentId: found.id, processorId: dispute.processorId })
  return db.transaction(async tx => {
    const intent = await tx.one(lockIntent(found.id))
    if (intent.status !== 'SUCCEEDED') return 'mismatch'
    return follow(services, tx, intent, dispute)
  })
}

async function follow(services: Services, tx: Tx, intent: Intent, dispute: Dispute): Promise<Followed> {
  const { disputeId, cents, currency } = dispute
  const known = await tx.maybe(statements.chargebackOfDispute(disputeId))
  if (known && Number(known.cents) !== cents) return 'mismatch'
  if (!known && (currency !== intent.currency || !(await fits(tx, intent, cents)))) return 'mismatch'
  const row = known ?? (await open(services, tx, intent, dispute))
  const moved = await move(services, tx, { intent, row, dispute })
  return moved ?? (known ? 'known' : 'booked')
}

async function fits(tx: Tx, { id, amount }: Intent, cents: number): Promise<boolean> {
  const disputed = await tx.one(statements.disputedCents(id))
  return cents > 0 && Number(disputed.cents) + cents <= toCents(amount)
}

async function open(services: Services, tx: Tx, intent: Intent, dispute: Dispute): Promise<Chargeback> {
  const { disputeId, cents, feeCents, reason, respondBy } = dispute
  const id = newId()
  const effect = await effectOf(tx, intent, await stepOf(tx, { id, intent, dispute, event: 'opened' }))
  const journal = await post(tx, {
    kind: 'chargeback_opened',
    key: `chargeback/${disputeId}/opened`,
    legs: [
      {
        debit: accounts.dispute,
        credit: accounts.processor,
        amount: fromCents(cents),
        asset: intent.currency,
      },
      ...feeLegs(feeCents),
    ],
    reference: { chargebackId: id, disputeId, paymentId: intent.id },
  })
  const row = await tx.one(
    statements.insertChargeback({
      id,
      disputeId,
      paymentId: intent.id,
      cents,
      feeCents,
      reason,
      respondBy,
      askAt: after(tx.now, ASK_EVERY),
      openedJournalId: journal.id,
      createdAt: tx.now,
    }),
  )
  await note(tx, row, 'opened')
  await requestChargebackMails(services, tx, { chargebackId: id, event: 'opened', to: effect.concerned })
  return row
}

const EVENTS = { under_review: 'review', won: 'win', lost: 'lose' } as const
const STATES = {
  needs_response: 'NEEDS_RESPONSE',
  under_review: 'UNDER_REVIEW',
  won: 'WON',
  lost: 'LOST',
} as const

interface Following {
  intent: Intent
  row: Chargeback
  dispute: Dispute
}

/** Moves a chargeback to the state of its dispute; undefined if it is there, or beyond an earlier state. */
async function move(services: Services, tx: Tx, following: Following): Promise<Followed | undefined> {
  const { row, dispute } = following
  if (dispute.state === 'needs_response' || row.status === STATES[dispute.state]) return undefined
  // The processor has changed its decision: nothing is posted twice by itself.
  if (row.closedAt) return 'mismatch'
  const event = EVENTS[dispute.state]
  if (event === 'review') {
    await transition(tx, chargebackMachine, row, { event, by: 'processor' })
    return 'known'
  }
  await close(services, tx, following, event)
  return 'booked'
}

async function close(
  services: Services,
  tx: Tx,
  { intent, row, dispute }: Following,
  event: Exclude<ChargebackEvent, 'review'>,
): Promise<void> {
  const outcome = event === 'win' ? 'won' : 'lost'
  const effect = await effectOf(tx, intent, await stepOf(tx, { id: row.id, intent, dispute, event: outcome }))
  const amount = fromCents(dispute.cents)
  const posting = {
    kind: `chargeback_${outcome}`,
    key: `chargeback/${dispute.disputeId}/${outcome}`,
    reference: { chargebackId: row.id, disputeId: dispute.disputeId, paymentId: intent.id },
  }
  const fees = feeChange(Number(row.feeCents), dispute.feeCents)
  const back = { debit: accounts.processor, credit: accounts.dispute, amount, asset: intent.currency }
  const parts = outcome === 'lost' ? partsOf(effect, amount) : []
  const journalId =
    outcome === 'won'
      ? (await post(tx, { ...posting, legs: [back, ...fees] })).id
      : await postLoss(tx, { row, intent, parts, posting, fees })
  const closed = await transition(tx, chargebackMachine, row, {
    event,
    by: 'processor',
    set: {
      closedAt: tx.now,
      askAt: null,
      closedJournalId: journalId,
      feeCents: dispute.feeCents,
      lostParts: json(parts.map(part => ({ account: part.account, amount: String(part.amount) }))),
    },
  })
  await note(tx, closed, outcome)
  await requestChargebackMails(services, tx, { chargebackId: row.id, event: outcome, to: effect.concerned })
}

function partsOf({ parts = [] }: ChargebackEffect, amount: bigint): readonly LostPart[] {
  const sum = parts.reduce((total, part) => total + part.amount, 0n)
  assert(sum === amount, `a lost chargeback of ${amount} is paid by parts of ${sum}`)
  return parts.filter(part => part.amount > 0n)
}

interface Loss {
  row: Chargeback
  intent: Intent
  parts: readonly LostPart[]
  posting: { kind: string; key: string; reference: Record<string, string> }
  fees: readonly Leg[]
}

/** Posts who pays a lost amount: the accounts that used the money, and their owners what these do not hold. */
async function postLoss(tx: Tx, { row, intent, parts, posting, fees }: Loss): Promise<string> {
  const asset = intent.currency
  const guarded = parts.map(part => part.account).filter(account => account !== accounts.suspense)
  const balances = await lockToCollect(tx, parts, asset)
  const legs: Leg[] = []
  for (const { account, amount, debtorId } of parts) {
    const balance = balances.get(account) ?? 0n
    const paid = debtorId !== null && balance < amount ? balance : amount
    if (paid > 0n) legs.push({ debit: account, credit: accounts.dispute, amount: paid, asset })
    if (paid === amount || debtorId === null) continue
    const owed = amount - paid
    legs.push({ debit: accounts.receivable(debtorId), credit: accounts.dispute, amount: owed, asset })
    await insertDebt(tx, { ownerId: debtorId, chargebackId: row.id, asset, amount: owed })
  }
  const freezes = await takeOffFreezes(tx, guarded, { asset, reason: chargebackReason(row.disputeId) })
  const { id } = await post(tx, { ...posting, legs: [...legs, ...fees] })
  for (const { account, reason } of freezes) await freezeAccount(tx, account, asset, reason)
  return id
}

/** The balances that pay. Where a wallet holds too little, payouts that are not sent yet return to it. */
async function lockToCollect(
  tx: Tx,
  parts: readonly LostPart[],
  asset: Asset,
): Promise<ReadonlyMap<string, bigint>> {
  const names = parts.map(part => part.account).filter(account => account !== accounts.suspense)
  const balances = await lockBalances(tx, names, asset)
  const prefix = accounts.wallet('')
  const short = parts.filter(
    ({ account, amount }) => account.startsWith(prefix) && (balances.get(account) ?? 0n) < amount,
  )
  for (const { account } of short)
    await publish(tx, walletFellShort, { walletId: account.slice(prefix.length), asset })
  return short.length ? lockBalances(tx, names, asset) : balances
}

/** Frees accounts for one posting: a freeze for another reason protects the money, and not from the bank that took it. */
async function takeOffFreezes(
  tx: Tx,
  names: readonly string[],
  { asset, reason }: { asset: Asset; reason: string },
): Promise<{ account: string; reason: string }[]> {
  const freezes: { account: string; reason: string }[] = []
  for (const account of names)
    for (const other of await unfreezeAccount(tx, account, asset, reason))
      freezes.push({ account, reason: other })
  for (const freeze of freezes) await unfreezeAccount(tx, freeze.account, asset, freeze.reason)
  return freezes
}

/** What the processor charges for a dispute may change when it decides. */
function feeChange(booked: number, now: number): Leg[] {
  if (now >= booked) return feeLegs(now - booked)
  return feeLegs(booked - now).map(leg => ({ ...leg, debit: leg.credit, credit: leg.debit }))
}

// Money for a purpose that this version does not know is in suspense.
async function effectOf(tx: Tx, { purpose }: Intent, step: ChargebackStep): Promise<ChargebackEffect> {
  if (chargeback.isKey(purpose)) return chargeback.call(tx, purpose, step)
  const parts = [{ account: accounts.suspense, amount: step.amount, debtorId: null }]
  return { concerned: [], parts }
}

async function stepOf(
  tx: Tx,
  of: { id: string; intent: Intent; dispute: Dispute; event: ChargebackStep['event'] },
): Promise<ChargebackStep> {
  const { id: chargebackId, event, dispute, intent } = of
  const { id: paymentId, accountId: payerId, reference, currency: asset } = intent
  return {
    event,
    chargebackId,
    paymentId,
    payerId,
    disputeId: dispute.disputeId,
    reference,
    amount: fromCents(dispute.cents),
    asset,
    lostBefore: await lostOf(tx, paymentId),
  }
}

/** What lost chargebacks of a payment took from each ledger account, in micro-units. */
export async function lostOf(q: Queryable, paymentId: string): Promise<ReadonlyMap<string, bigint>> {
  const lost = await q.rows(statements.lostParts(paymentId))
  return new Map(lost.map(({ account, amount }) => [account, amount]))
}

async function note(tx: Tx, row: Chargeback, event: ChargebackStep['event']): Promise<void> {
  await audit(tx, SYSTEM, `chargeback.${event}`, {
    target: ['payment', row.paymentId],
    details: {
      chargebackId: row.id,
      disputeId: row.disputeId,
      amount: formatMoney(fromCents(Number(row.cents))),
      reason: row.reason,
    },
  })
}
