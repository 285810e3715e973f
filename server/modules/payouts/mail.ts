import { accountById, organizations, type Account } from '#identity'
import { letter } from '#platform/adapters/mail/letter'
import { sendMail } from '#platform/adapters/mail/mail'
import { DAY, SECOND } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { accountById as payoutAccountById, type PayoutAccount } from './account/sql.ts'
import { PAYOUT_STATES } from './payout/payout-machine.ts'
import * as statements from './payout/sql.ts'
import type { Payout } from './payout/sql.ts'

/** The failure code of a payout that was canceled because its agent belongs to another account now. */
export const AGENT_CLAIMED = 'agent_claimed'
/** That of a payout whose money was needed for a lost chargeback. */
export const CHARGED_BACK = 'charged_back'

const JOB = 'payouts.mail'
const MAILS_A_DAY = 50

type Sending = Pick<Services, 'jobs'>

/** Notifies the owner of what a payout has become, once this transaction commits. */
export const requestPayoutMail = (tx: Tx, { jobs }: Sending, { id, status }: Payout): Promise<void> =>
  jobs.enqueue(tx, JOB, { payoutId: id, status })

/** Notifies the owner that a destination was connected or changed. */
export const requestDestinationMail = (
  tx: Tx,
  { jobs }: Sending,
  { id }: PayoutAccount,
  destination: 'bank' | 'address',
): Promise<void> => jobs.enqueue(tx, JOB, { payoutAccountId: id, destination })

/** Run twice after a crash it may send a mail twice. */
export const payoutMailJob = (services: Services): JobDefinition => ({
  name: JOB,
  async handle({ payoutId, status, payoutAccountId, destination }) {
    const { db } = services
    if (typeof payoutAccountId === 'string') {
      const account = await db.one(payoutAccountById(payoutAccountId))
      return send(services, account, await destinationLetter(services, account, destination === 'bank'))
    }
    const payout = await db.one(statements.payoutById(String(payoutId)))
    const then = PAYOUT_STATES.find(state => state === status) ?? payout.status
    await send(services, payout, await payoutLetter(services, { ...payout, status: then }))
  },
})

type Text = Omit<Parameters<typeof letter>[0], 'to'>

async function send(
  services: Services,
  owner: Pick<Payout, 'ownerType' | 'accountId'>,
  text: Text,
): Promise<void> {
  const { db, limits } = services
  for (const { id, email } of await recipients(db, owner)) {
    if (!(await limits.take(`payout-mail:${id}`, MAILS_A_DAY, DAY / SECOND)).allowed) continue
    await db.transaction(tx => sendMail(services, tx, id, letter({ ...text, to: email })))
  }
}

/** Active people with an address: the account, or those who run the organization. */
async function recipients(
  q: Queryable,
  { ownerType, accountId }: Pick<Payout, 'ownerType' | 'accountId'>,
): Promise<Account[]> {
  const ids =
    ownerType === 'ORGANIZATION'
      ? [...((await organizations.staffOf(q, [accountId])).get(accountId) ?? [])]
      : [accountId]
  const found = await Promise.all(ids.map(id => accountById(q, id)))
  return found.flatMap(account => (account?.status === 'ACTIVE' && account.email ? [account] : []))
}

const WARNING = 'If this was not you, set a new password now and contact the operator of this service.'

/** The page of the console about the payouts of an owner. */
async function pageOf(
  { db, publicUrl }: Services,
  { ownerType, ownerId }: Pick<Payout, 'ownerType' | 'ownerId'>,
): Promise<string> {
  const page = `${publicUrl}/app/selling/payouts`
  if (ownerType === 'AGENT') return `${page}?agent=${ownerId}`
  const organization =
    ownerType === 'ORGANIZATION' ? await organizations.openOrganization(db, ownerId) : undefined
  return organization ? `${page}?organization=${organization.slug}` : page
}

async function payoutLetter(services: Services, payout: Payout): Promise<Text> {
  const { id, status, amount, currency, failureCode, failureMessage } = payout
  const money = `${formatMoney(amount)} ${currency}`
  if (status === 'CANCELED' && failureCode === AGENT_CLAIMED) return claimedLetter(id, money)
  if (status === 'CANCELED' && failureCode === CHARGED_BACK)
    return chargedBackLetter({ id, money, url: await pageOf(services, payout) })
  const [subject, ...paragraphs] = TEXTS[status](money, failureMessage)
  const isWaiting = status === 'REVIEW' || status === 'REQUESTED'
  return {
    subject,
    paragraphs: [...paragraphs, ...(isWaiting ? ['You can cancel it until it is sent.', WARNING] : [])],
    link: { text: 'See the payout', url: await pageOf(services, payout) },
    details: [
      `Payout: ${id}`,
      ...(isWaiting ? [`For programs: POST ${services.publicUrl}/payouts/${id}/cancel`] : []),
    ],
  }
}

/** To the previous owner, who sees neither the payout nor the wallet any more. */
const claimedLetter = (id: string, money: string): Text => ({
  subject: 'A payout was canceled',
  paragraphs: [
    `The payout of ${money} was canceled: another account has claimed the agent that it was for.`,
    'The money is in the wallet of the agent, which belongs to that account now.',
    'If you did not give anybody the link to claim the agent, contact the operator of this service.',
  ],
  details: [`Payout: ${id}`],
})

const chargedBackLetter = ({ id, money, url }: { id: string; money: string; url: string }): Text => ({
  subject: 'A payout was canceled',
  paragraphs: [
    `The payout of ${money} was canceled: a bank took back a payment, and your wallet held too little for it.`,
    'What is left of the money is in your wallet. You can request another payout of it.',
  ],
  link: { text: 'See the payout', url },
  details: [`Payout: ${id}`],
})

const because = (reason: string | null): string => (reason === null ? '' : ` Reason: ${reason}.`)
type Texts = (money: string, reason: string | null) => [string, ...string[]]
const canceled: Texts = (money, reason) => [
  'A payout was canceled',
  `The payout of ${money} was canceled.${because(reason)} The money is in your wallet again.`,
]
const underWay: Texts = money => ['A payout is on its way', `The payout of ${money} was sent.`]

const TEXTS: Record<Payout['status'], Texts> = {
  REVIEW: money => [
    'A payout was requested',
    `A payout of ${money} was requested. It is large, so an operator reviews it before it is sent.`,
  ],
  REQUESTED: money => ['A payout was requested', `A payout of ${money} was requested.`],
  PENDING: underWay,
  IN_TRANSIT: underWay,
  PAID: money => ['A payout was paid', `The payout of ${money} has arrived.`],
  FAILED: (money, reason) => [
    'A payout failed',
    `The payout of ${money} failed.${because(reason)} The money is in your wallet again.`,
  ],
  RETURNED: (money, reason) => [
    'A payout came back',
    `The bank returned the payout of ${money}.${because(reason)} The money is in your wallet again.`,
  ],
  CANCELED: canceled,
}

async function destinationLetter(services: Services, account: PayoutAccount, isBank: boolean): Promise<Text> {
  const what = isBank
    ? 'A bank account was connected for payouts'
    : 'The address on the chain to which payouts go was changed'
  return {
    subject: 'Payouts go to a new destination',
    paragraphs: [`${what} at ${new URL(services.publicUrl).host}.`, WARNING],
    link: { text: 'See your payouts', url: await pageOf(services, account) },
  }
}
