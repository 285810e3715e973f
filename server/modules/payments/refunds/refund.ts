import { accounts, post } from '#ledger'
import { creditAccount, requireWallet, sweepIfDeleted } from '#wallets'
import { after, DAY, MINUTE } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { ApiError } from '#platform/kernel/errors'
import { transition } from '#platform/kernel/machine'
import { toCents } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import type { Timer } from '#platform/kernel/background/timers'
import { mailPayer, amountOf } from '../intents/receipt.ts'
import { recoverFromReturn } from '../receivables/receivable.ts'
import { answered, installationOf, processorOf } from '../processor.ts'
import { NoAnswer, type Refund } from '../processors/port.ts'
import { intentById } from '../sql.ts'
import { refundMachine } from './machine.ts'
import * as statements from './sql.ts'
import type { NewRefund, RefundRow } from './sql.ts'

const SEND_JOB = 'payments.refund'
const MAIL_JOB = 'payments.refund-mail'

export type RefundSummary = Pick<RefundRow, 'id' | 'status' | 'amount' | 'currency' | 'processorId'>

/** The refunds of a payment, the oldest first. */
export const refundsOf = (q: Queryable, paymentId: string): Promise<RefundSummary[]> =>
  q.rows(statements.refundsOf(paymentId))

/**
 * Sends money back to the card of a payment once this transaction commits. The caller has posted `journalId`, whose leg to
 * account 1010 has this amount, in whole cents. A refund that fails credits the wallet.
 */
export async function openRefund(
  { jobs }: Pick<Services, 'jobs'>,
  tx: Tx,
  refund: Omit<NewRefund, 'createdAt' | 'askAt'>,
): Promise<void> {
  await tx.run(statements.insertRefund({ ...refund, createdAt: tx.now, askAt: after(tx.now, MINUTE) }))
  await jobs.enqueue(tx, SEND_JOB, { refundId: refund.id })
}

export const refundTimers = ({ jobs }: Services): Timer[] => [
  {
    name: 'refund without an outcome',
    table: 'payments_refund',
    column: 'ask_at',
    where: part`ask_at is not null`,
    async run(tx, id) {
      const refund = await tx.one(statements.lockRefund(id))
      if (!refund.askAt || refund.askAt > tx.now) return
      const pauseMs = Math.min(MINUTE * 2 ** Math.min(refund.asks, 20), DAY)
      await tx.run(statements.postponeRefund(id, after(tx.now, pauseMs)))
      await jobs.enqueue(tx, SEND_JOB, { refundId: id })
    },
  },
]

export const refundJobs = (services: Services): JobDefinition[] => [
  { name: SEND_JOB, handle: async ({ refundId }) => pursueRefund(services, String(refundId)) },
  { name: MAIL_JOB, handle: async ({ refundId }) => mailRefund(services, String(refundId)) },
]

/** Sends a refund, or asks what became of it, outside any transaction; then applies what the processor says. */
export async function pursueRefund(services: Services, refundId: string): Promise<void> {
  const { db, log } = services
  const refund = await db.one(statements.refundById(refundId))
  if (refund.status === 'FAILED') return
  const report = await reportOf(services, refund).catch((err: unknown) => {
    if (!(err instanceof NoAnswer)) throw err
    log.warn({ err, refund: refundId }, 'processor: no answer about a refund, it will be asked again')
  })
  if (report) await db.transaction(tx => apply(services, tx, refundId, report))
}

/** The status of a refund after the processor was asked about it. */
export async function rereadRefund(
  services: Services,
  refundId: string,
): Promise<RefundRow['status'] | null> {
  if (!(await services.db.maybe(statements.refundById(refundId)))) return null
  await pursueRefund(services, refundId)
  return (await services.db.one(statements.refundById(refundId))).status
}

type Report = Pick<Refund, 'state' | 'failure'> & { refundId: string | null }

/** The processor's word about a refund. One that it does not know is sent; one that it refuses has failed. */
async function reportOf(services: Services, refund: RefundRow): Promise<Report> {
  const { id, paymentId, amount, asks } = refund
  const processor = processorOf(services)
  const { processorId } = await services.db.one(intentById(paymentId))
  if (!processorId)
    return { refundId: null, state: 'failed', failure: 'the payment has no id at the processor' }
  // Asked first when it may have been sent: a processor deletes keys after a day.
  const wasSent = refund.processorId !== null
  const known = wasSent || asks > 0 ? await answered(processor.refundOf(id, processorId)) : null
  if (known) return known
  if (wasSent) throw new NoAnswer(`the processor does not know refund ${id} any more`)
  const order = { id, installation: await installationOf(services), processorId, cents: toCents(amount) }
  return answered(processor.refund(order)).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.row.status >= 500) throw error
    return { refundId: null, state: 'failed' as const, failure: error.message }
  })
}

async function apply({ jobs }: Services, tx: Tx, id: string, report: Report): Promise<void> {
  const refund = await tx.one(statements.lockRefund(id))
  if (report.refundId) await tx.run(statements.setRefundId(id, report.refundId))
  if (report.state === 'failed' && refund.status !== 'FAILED') await fail(tx, refund, report)
  else if (report.state === 'succeeded' && refund.status === 'PENDING')
    await transition(tx, refundMachine, refund, { event: 'succeed', by: 'processor', set: { askAt: null } })
  else return
  await jobs.enqueue(tx, MAIL_JOB, { refundId: id })
}

/** The money is on the balance at the processor again: it goes to the wallet. */
async function fail(tx: Tx, refund: RefundRow, { failure }: Report): Promise<void> {
  const { id, walletId, paymentId, amount, currency: asset } = refund
  const wallet = await requireWallet(tx, walletId)
  const back = { debit: accounts.processor, credit: creditAccount(wallet, false), amount, asset }
  const journal = await post(tx, {
    kind: 'refund_failed',
    key: `refund/${id}/failed`,
    legs: [back, ...(await recoverFromReturn(tx, wallet, amount))],
    reference: { refundId: id, paymentId },
  })
  await transition(tx, refundMachine, refund, {
    event: 'fail',
    by: 'processor',
    details: { failure },
    set: { askAt: null, failure, returnJournalId: journal.id },
  })
  await sweepIfDeleted(tx, walletId)
}

async function mailRefund(services: Services, refundId: string): Promise<void> {
  const refund = await services.db.one(statements.refundById(refundId))
  const payment = await services.db.one(intentById(refund.paymentId))
  if (refund.status === 'FAILED')
    await mailPayer(services, payment, 'A refund to your card failed', [
      `The refund of ${amountOf(refund)} for the payment ${payment.id} could not be made to your card.`,
      `The money is in the wallet ${refund.walletId}.`,
    ])
  else if (payment.receipt)
    await mailPayer(services, payment, 'Receipt for your refund', [
      `${amountOf(refund)} of the payment ${payment.id} went back to your card.`,
      'Banks show a refund within 5 to 10 days.',
    ])
}
