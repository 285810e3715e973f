import { DEAL_TOPIC, lockDealNotice, type DealNotice, type NoticeParty } from '#ap2'
import { accountById, organizations, type Account } from '#identity'
import { letter } from '#platform/adapters/mail/letter'
import { sendMail, type Mail } from '#platform/adapters/mail/mail'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import { insertIntoOutbox } from '#platform/kernel/background/outbox'
import type { Timer } from '#platform/kernel/background/timers'
import { after, DAY, SECOND } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'
import type { ChangedDeal } from '../events/project.ts'
import type { EventType } from '../events/types.ts'
import { deleteDeadline, EVERY, preferencesOf, setDeadlines } from './sql.ts'
import { DEAL_MAILS, moneyOf, sidesFor, type Category, type Side } from './texts.ts'
import { unsubscribeToken } from './unsubscribe.ts'

const JOB = 'notifications.deal-mail'
/** Anybody can offer deals to an agent: that must not fill its owner's mailbox. */
const MAILS_A_DAY = 50

/** Requests the mails about changed deals, and sets their reminders, with the events in one transaction. */
export async function followDeals(
  tx: Tx,
  { jobs }: Pick<Services, 'jobs'>,
  deals: readonly ChangedDeal[],
): Promise<void> {
  // The last state of each deal counts.
  const latest = new Map(deals.map(({ notice }) => [notice.negotiationId, dueOf(notice, tx.now)]))
  if (latest.size) await tx.run(setDeadlines([...latest].map(([id, dueAt]) => ({ id, dueAt }))))
  for (const { notice, events } of deals) {
    const wanted = events.filter(({ type }) => DEAL_MAILS[type])
    if (wanted.length) await jobs.enqueue(tx, JOB, { notice: { ...notice, lines: [] }, events: wanted })
  }
}

const isAwaited = ({ status, escrowStatus }: DealNotice): boolean =>
  escrowStatus === 'HELD' && (status === 'ESCROWED' || status === 'IN_PROGRESS')

/** When the seller is reminded; null where no delivery is awaited, or it is due within a day anyway. */
function dueOf(notice: DealNotice, now: Date): Date | null {
  if (!isAwaited(notice) || notice.deliverBy === null) return null
  const dueAt = after(new Date(notice.deliverBy), -DAY)
  return dueAt > now ? dueAt : null
}

/** Publishes the event of a deadline a day before it. */
export const deadlineTimer: Timer = {
  name: 'deadline tomorrow',
  table: 'notifications_deadline',
  column: 'due_at',
  where: EVERY,
  async run(tx, negotiationId) {
    const notice = await lockDealNotice(tx, negotiationId)
    await tx.run(deleteDeadline(negotiationId))
    if (!notice || !isAwaited(notice)) return
    const at = tx.now.toISOString()
    const line = { subject: 'escrow' as const, event: 'remind', to: 'HELD', by: 'timer', at }
    await tx.run(sql`${insertIntoOutbox(DEAL_TOPIC, { ...notice, deliverBy: null, lines: [line] })}`)
  },
}

/** Run twice after a crash it may send a mail twice. */
export const dealMailJob = (services: Services): JobDefinition => ({
  name: JOB,
  handle: async ({ notice, events }) => {
    for (const { type, by } of events as { type: EventType; by: string }[])
      await sendDealMails(services, notice as DealNotice, type, by)
  },
})

async function sendDealMails(
  services: Services,
  notice: DealNotice,
  type: EventType,
  by: string,
): Promise<void> {
  const { db, limits } = services
  const mail = DEAL_MAILS[type]
  if (!mail) return
  for (const side of sidesFor(mail, by))
    for (const { id, email: to } of await peopleOf(db, notice[side])) {
      if (!(await wants(db, id, mail.category))) continue
      const taken = await limits.take(`deal-mail:${id}`, MAILS_A_DAY, DAY / SECOND)
      if (mail.category && !taken.allowed) continue
      const text = dealMail(services, notice, { type, side, to, accountId: id })
      await db.transaction(tx => sendMail(services, tx, id, text))
    }
}

/** People with an address who are the party: its account, or those who run its organization. */
async function peopleOf(q: Queryable, { accountId, organizationId }: NoticeParty): Promise<Account[]> {
  const ids = organizationId
    ? [...((await organizations.staffOf(q, [organizationId])).get(organizationId) ?? [])]
    : [accountId]
  const found = await Promise.all(ids.map(id => accountById(q, id)))
  return found.flatMap(account =>
    account?.userType === 'HUMAN' && account.status === 'ACTIVE' && account.email ? [account] : [],
  )
}

async function wants(q: Queryable, accountId: string, category: Category | null): Promise<boolean> {
  if (category === null) return true
  const preferences = await q.maybe(preferencesOf(accountId))
  return preferences?.[category] ?? true
}

interface Addressed {
  type: EventType
  side: Side
  to: string
  accountId: string
}

/** Contains no text of a party: a mail of this service must not carry texts of other accounts. */
function dealMail(
  services: Pick<Services, 'publicUrl' | 'secrets'>,
  notice: DealNotice,
  { type, side, to, accountId }: Addressed,
): Mail {
  const mail = DEAL_MAILS[type]
  if (!mail) throw new Error(`no mail for ${type}`)
  const { publicUrl } = services
  const { category, subject, lead } = mail
  const money = moneyOf(notice)
  const link = category && `${publicUrl}/unsubscribe/${unsubscribeToken(services, accountId, category)}`
  const text = letter({
    to,
    subject,
    paragraphs: [lead({ money, side }), `Price: ${money}. You are the ${side}.`],
    link: { text: 'Open the deal', url: `${publicUrl}/app/deals/${notice.negotiationId}` },
    details: [
      `For programs: GET ${publicUrl}/ap2/negotiations/${notice.negotiationId}`,
      ...(link ? [`Unsubscribe from mails about ${category}: ${link}`] : []),
    ],
  })
  if (!link) return text
  // RFC 8058: mail programs show a button that sends a POST to the link.
  const headers = { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  return { ...text, headers }
}
