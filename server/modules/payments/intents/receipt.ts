import { accountById } from '#identity'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import type { Tx } from '#platform/kernel/db'
import { letter } from '#platform/adapters/mail/letter'
import { sendMail } from '#platform/adapters/mail/mail'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import * as statements from '../sql.ts'
import type { Intent } from '../sql.ts'

const JOB = 'payments.receipt'

/** Subscriber of `payment.confirmed`: a receipt for the payer, if the payer asked for one. */
export const mailReceiptOfConfirmedPayment =
  ({ jobs }: Services) =>
  async (tx: Tx, { paymentId }: { paymentId: string }): Promise<void> => {
    const { receipt } = await tx.one(statements.intentById(paymentId))
    if (receipt) await jobs.enqueue(tx, JOB, { paymentId })
  }

/** The job behind the receipt. Run twice after a crash it may send the mail twice. */
export const receiptJob = (services: Services): JobDefinition => ({
  name: JOB,
  handle: async ({ paymentId }) => {
    const payment = await services.db.one(statements.intentById(String(paymentId)))
    await mailPayer(services, payment, 'Receipt for your payment', [
      `Your payment of ${amountOf(payment)} was received.`,
      `Payment: ${payment.id}. It was made by card on ${dayOf(payment.confirmedAt ?? payment.createdAt)}.`,
    ])
  },
})

/** Mails the account that made a payment; accounts without an address get none. */
export async function mailPayer(
  services: Services,
  payment: Pick<Intent, 'accountId'>,
  subject: string,
  paragraphs: readonly string[],
): Promise<void> {
  const account = await accountById(services.db, payment.accountId)
  if (account?.status !== 'ACTIVE' || !account.email) return
  const mail = letter({ to: account.email, subject, paragraphs })
  await services.db.transaction(tx => sendMail(services, tx, account.id, mail))
}

export const amountOf = ({ amount, currency }: Pick<Intent, 'amount' | 'currency'>): string =>
  `${formatMoney(amount)} ${currency}`

export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)
