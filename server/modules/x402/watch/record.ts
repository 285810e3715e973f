import { cryptoWallets } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { networkOf } from '../chain/network.ts'
import type { ChainTransfer, Hex } from '../chain/port.ts'
import { sameAddress } from '../payment/authorization.ts'
import { paymentMachine } from '../payment/machine.ts'
import * as payments from '../payment/sql.ts'
import type { Payment } from '../payment/sql.ts'
import { matchTransfer, type Match } from './match-plan.ts'
import * as statements from './sql.ts'
import type { TransferRow } from './sql.ts'

/** A transfer with the nonce of the authorization that it executed, if any. */
export interface Found {
  transfer: ChainTransfer
  nonce: Hex | null
}

/** Whether an event of the chain is the recorded one. In another block a transaction has other places for its events. */
export const isLogOf = (log: ChainTransfer, row: TransferRow): boolean =>
  log.txHash === row.txHash &&
  log.logIndex === row.logIndex &&
  sameAddress(log.token, row.token) &&
  log.payer === row.payer &&
  log.payTo === row.payTo &&
  log.amount === BigInt(row.amount)

/** Records new transfers and confirms the payments that they pay, each in a transaction of its own. */
export async function record(services: Services, found: readonly Found[]): Promise<void> {
  if (!found.length) return
  const { id } = networkOf(services.config)
  const transfers = found.map(({ transfer }) => transfer)
  const known = await services.db.rows(statements.recordedLogs(id, transfers))
  for (const each of found) {
    const { txHash, logIndex } = each.transfer
    if (known.some(log => log.txHash === txHash && log.logIndex === logIndex)) continue
    await services.db.transaction(tx => recordOne(tx, services, each))
  }
}

async function recordOne(tx: Tx, { config }: Services, { transfer, nonce }: Found): Promise<void> {
  const network = networkOf(config)
  const candidates = await tx.rows(statements.lockPayable(transfer, tx.now))
  const existing = await tx.maybe(statements.lockTransferOfLog(network.id, transfer))
  if (existing?.status === 'FINAL') return
  if (existing?.status === 'SEEN') {
    await tx.run(statements.moveTransfer(existing.id, transfer))
    return
  }
  const [authorization] = nonce
    ? await tx.rows(
        payments.authorizationsAmong(network.id, [transfer.payer.toLowerCase()], [nonce.toLowerCase()]),
      )
    : []
  const beingPaid = await tx.rows(statements.paymentsBeingPaid(candidates.map(({ id }) => id)))
  const matched = matchTransfer({
    transfer,
    isElsewhere: await isElsewhere(tx, transfer),
    candidates,
    beingPaid: new Set(beingPaid.map(({ paymentId }) => paymentId)),
    authorizedPaymentId: authorization?.paymentId ?? null,
    isOurToken: sameAddress(transfer.token, network.token),
  })
  if (!matched) return
  const match = matched.reason === 'UNMATCHED' ? await secondOr(tx, transfer, matched) : matched
  const row = await tx.one(
    statements.upsertTransfer({
      ...transfer,
      id: existing?.id ?? newId(),
      network: network.id,
      paymentId: match.payment?.id ?? null,
      reason: match.reason,
      now: tx.now,
    }),
  )
  if (match.payment && !match.reason) await confirm(tx, match.payment, row)
}

/**
 * Whether a transfer arrives at a seller's own address. Earlier versions let a seller name an address of the service as its
 * own: such a request takes and hides nothing there.
 */
async function isElsewhere(tx: Tx, { payTo }: ChainTransfer): Promise<boolean> {
  const held = await cryptoWallets.heldAmong(tx, [payTo])
  return !held.has(payTo) && (await tx.one(statements.isProvided(payTo, tx.now))).provided
}

/** A transfer that fits no payment is a second one where such a transfer has paid before. */
async function secondOr(tx: Tx, transfer: ChainTransfer, unmatched: Match): Promise<Match> {
  const payment = await tx.maybe(statements.paidBefore(transfer, tx.now))
  return payment ? { payment, reason: 'PAID_TWICE' } : unmatched
}

async function confirm(tx: Tx, payment: Payment, { id: transferId, txHash }: TransferRow): Promise<void> {
  // Paid after its end: it becomes LATE when the transfer is final.
  if (payment.status === 'EXPIRED' || payment.status === 'FAILED') return
  await transition(tx, paymentMachine, payment, {
    event: 'confirm',
    by: 'chain',
    details: { txHash },
    set: { transferId },
  })
  const authorization = await tx.maybe(payments.authorizationOfPayment(payment.id))
  if (authorization) await tx.run(payments.settledBy(authorization.id, txHash))
}

/** Takes back a transfer whose block was replaced: its payment waits again, an authorization is sent again. */
export async function drop({ db, log }: Services, { id, blockHash }: TransferRow): Promise<void> {
  await db.transaction(async tx => {
    const { paymentId } = await tx.one(statements.lockTransfer(id))
    const payment = paymentId === null ? undefined : await tx.one(payments.lockPayment(paymentId))
    const row = await tx.one(statements.lockTransfer(id))
    if (row.status !== 'SEEN' || row.blockHash !== blockHash) return
    await tx.run(statements.dropTransfer(id, tx.now))
    log.warn(
      { transfer: id, txHash: row.txHash, payment: paymentId },
      'x402: the block of a transfer was replaced',
    )
    if (payment?.status !== 'CONFIRMED' || payment.transferId !== id) return
    const authorization = await tx.maybe(payments.authorizationOfPayment(payment.id))
    await transition(tx, paymentMachine, payment, {
      event: 'reorganize',
      by: 'chain',
      to: authorization ? 'SETTLING' : 'PENDING',
      details: { txHash: row.txHash },
      set: { transferId: null },
    })
    if (authorization) await tx.run(payments.retryAt(authorization.id, tx.clock.real()))
  })
}
