import { accountById } from '#identity'
import { letter } from '#platform/adapters/mail/letter'
import { sendMail } from '#platform/adapters/mail/mail'
import type { JobDefinition, Jobs } from '#platform/kernel/background/jobs'
import type { Tx } from '#platform/kernel/db'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import * as statements from './sql.ts'
import type { Invoice } from './sql.ts'

const JOB = 'subscriptions.mail'

export type MailKind = 'payment_failed' | 'expired' | 'late_payment'

/** Sends a mail about an invoice to the owner of the subscription once this transaction commits. */
export const requestMail = (
  tx: Tx,
  jobs: Jobs,
  payload: { invoiceId: string; kind: MailKind },
): Promise<void> => jobs.enqueue(tx, JOB, payload)

/** The job behind `requestMail`. Run twice after a crash it may send the mail twice. */
export const mailJob = (services: Services): JobDefinition => ({
  name: JOB,
  handle: async ({ invoiceId, kind }) => send(services, String(invoiceId), kind as MailKind),
})

async function send(services: Services, invoiceId: string, kind: MailKind): Promise<void> {
  const { db } = services
  const invoice = await db.one(statements.invoiceById(invoiceId))
  const subscription = await db.one(statements.subscriptionById(invoice.subscriptionId))
  const account = await accountById(db, subscription.accountId)
  if (account?.status !== 'ACTIVE' || !account.email) return
  const mail = letter({ to: account.email, ...TEXTS[kind](invoice, services.publicUrl) })
  await db.transaction(tx => sendMail(services, tx, account.id, mail))
}

type Text = (invoice: Invoice, publicUrl: string) => Omit<Parameters<typeof letter>[0], 'to'>

const priceOf = ({ amount }: Invoice): string => `${formatMoney(amount)} USD`

const TEXTS: Record<MailKind, Text> = {
  payment_failed: (invoice, publicUrl) => ({
    subject: 'The renewal of Pro could not be paid',
    paragraphs: [
      `The payment of ${priceOf(invoice)} for the next month of Pro failed. You keep Pro for now, and the payment is tried again.`,
      'Fund your wallet, or pay with another card.',
    ],
    link: { text: 'Open your plan', url: `${publicUrl}/app/account/plan` },
    details: [`For programs: POST ${publicUrl}/subscriptions/checkout, GET ${publicUrl}/subscriptions/me`],
  }),
  expired: (invoice, publicUrl) => ({
    subject: 'Your plan is Free now',
    paragraphs: [
      `The payment of ${priceOf(invoice)} for the next month of Pro failed several times, so Pro has ended. Escrows that are held keep their fee.`,
    ],
    link: { text: 'Subscribe again', url: `${publicUrl}/app/account/plan` },
    details: [`For programs: POST ${publicUrl}/subscriptions/checkout`],
  }),
  late_payment: invoice => ({
    subject: 'Your payment arrived late',
    paragraphs: [
      `Your payment of ${priceOf(invoice)} for Pro arrived when its invoice ${invoice.id} was not open any more.`,
      'The money is in your wallet.',
    ],
  }),
}
