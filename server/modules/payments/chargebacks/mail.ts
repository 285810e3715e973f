import { accountById } from '#identity'
import { DAY, SECOND } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import { formatMoney, fromCents } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { letter } from '#platform/adapters/mail/letter'
import { sendMail } from '#platform/adapters/mail/mail'
import { intentById } from '../sql.ts'
import * as statements from './sql.ts'
import type { Chargeback } from './sql.ts'
import type { ChargebackStep } from './port.ts'

const JOB = 'payments.chargeback-mail'
/** For each recipient. */
const MAILS_A_DAY = 50

type Event = ChargebackStep['event']
const EVENTS: readonly Event[] = ['opened', 'won', 'lost']

/** Sends a mail about a chargeback to those whose money it concerns and to the operator, once this transaction commits. */
export const requestChargebackMails = (
  { jobs }: Pick<Services, 'jobs'>,
  tx: Tx,
  about: { chargebackId: string; event: Event; to: readonly string[] },
): Promise<void> => jobs.enqueue(tx, JOB, about)

/** The job behind `requestChargebackMails`. Run twice after a crash it may send a mail twice. */
export const chargebackMailJob = (services: Services): JobDefinition => ({
  name: JOB,
  handle: async ({ chargebackId, event: name, to }) => {
    const event = EVENTS.find(each => each === name)
    const row = await services.db.maybe(statements.chargebackById(String(chargebackId)))
    if (!row || !event) return
    const { purpose } = await services.db.one(intentById(row.paymentId))
    const about = { row, event, purpose }
    for (const id of Array.isArray(to) ? to.map(String) : []) await mailParty(services, id, about)
    await mailOperator(services, about)
  },
})

interface About {
  row: Chargeback
  event: Event
  /** Of the disputed payment. */
  purpose: string
}

async function mailParty(services: Services, accountId: string, about: About): Promise<void> {
  const account = await accountById(services.db, accountId)
  if (account?.userType !== 'HUMAN' || account.status !== 'ACTIVE' || !account.email) return
  await mail(
    services,
    {
      accountId,
      to: account.email,
      paragraphs: [textOf(about), (about.purpose === 'SUBSCRIPTION' ? EFFECT_ON_PLAN : EFFECT)[about.event]],
      link: { text: 'Open your wallet', url: `${services.publicUrl}/app/wallet` },
    },
    about,
  )
}

async function mailOperator(services: Services, about: About): Promise<void> {
  const { row, event } = about
  const { ADMIN_EMAIL: to } = services.config
  if (!to) return
  const isOpen = event === 'opened'
  const paragraphs = [
    textOf(about),
    `Payment: ${row.paymentId}. Dispute at the processor: ${row.disputeId}. Reason: ${row.reason}.`,
    ...(isOpen
      ? [row.respondBy ? `Submit evidence until ${minute(row.respondBy)}.` : 'Submit evidence.']
      : []),
  ]
  const link = { text: 'Open the chargebacks', url: `${services.publicUrl}/app/admin/chargebacks` }
  const call = `${services.publicUrl}/admin/chargebacks/${row.id}`
  const details = [`For programs: GET ${call}${isOpen ? `, POST ${call}/evidence` : ''}`]
  await mail(services, { accountId: 'operator', to, paragraphs, link, details }, about)
}

type Letter = Omit<Parameters<typeof letter>[0], 'subject'> & { accountId: string }

async function mail(services: Services, { accountId, ...content }: Letter, { event }: About): Promise<void> {
  const taken = await services.limits.take(`chargeback-mail:${accountId}`, MAILS_A_DAY, DAY / SECOND)
  if (!taken.allowed) return
  const text = letter({ ...content, subject: SUBJECTS[event] })
  await services.db.transaction(tx => sendMail(services, tx, accountId, text))
}

const SUBJECTS: Record<Event, string> = {
  opened: 'A card payment is disputed',
  won: 'The dispute of a card payment was won',
  lost: 'The dispute of a card payment was lost',
}

const textOf = ({ row: { cents, createdAt }, event }: About): string => {
  const amount = `${formatMoney(fromCents(Number(cents)))} USD`
  const what = {
    opened: `The holder of a card disputes a payment of ${amount}, and the bank has taken it back for now.`,
    won: `The dispute of a payment of ${amount}, opened on ${day(createdAt)}, was decided in our favor.`,
    lost: `The dispute of a payment of ${amount}, opened on ${day(createdAt)}, was decided for the card holder.`,
  }
  return what[event]
}

const EFFECT: Record<Event, string> = {
  opened:
    'What the payment funded (a wallet, an escrow or a routing balance) is frozen until the bank decides, and so is a wallet to which a part of it was refunded. What an escrow has released is not. You need not do anything now.',
  won: 'What the payment funded is free again.',
  lost: 'The amount was taken from what it funded: an escrow, a wallet or a routing balance, or a wallet that got the money from there. If that held too little, later payments and refunds to you settle the rest.',
}

const EFFECT_ON_PLAN: Record<Event, string> = {
  opened:
    'Your plan does not end because of that. What is left of a month that the payment paid for is frozen until the bank decides. If the payment came too late for a month, your wallet has it and is frozen. If the rest of a canceled month went back to your wallet, it is frozen too. You need not do anything now.',
  won: 'What the payment funded is free again.',
  lost: 'If the payment was for the present month, your plan has ended. The amount was taken from your wallet. If that held too little, later payments and refunds to you settle the rest.',
}

const day = (at: Date): string => at.toISOString().slice(0, 10)
const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
