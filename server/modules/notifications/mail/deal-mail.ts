import { DEAL_TOPIC, lockDealNotice, type DealNotice } from '#ap2'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import { insertIntoOutbox } from '#platform/kernel/background/outbox'
import type { Timer } from '#platform/kernel/background/timers'
import { after, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'
import { kindOf } from '../events/kinds.ts'
import type { DealEvent } from '../events/deal-events.ts'
import type { ChangedDeal } from '../events/project.ts'
import type { EventType } from '../events/types.ts'
import { mailParties, type PartyMail } from './person-mail.ts'
import { deleteDeadline, EVERY, setDeadlines } from './sql.ts'
import { amountsOf, DEAL_MAILS, moneyIn, sidesFor } from './texts.ts'

const JOB = 'notifications.deal-mails'
/** Of the version before, with one deal each. */
const SINGLE_JOB = 'notifications.deal-mail'

interface MailedDeal {
  notice: DealNotice
  events: readonly Omit<DealEvent, 'at'>[]
}

/** Requests the mails about changed deals, and sets their reminders, with the events in one transaction. */
export async function followDeals(
  tx: Tx,
  { jobs }: Pick<Services, 'jobs'>,
  deals: readonly ChangedDeal[],
): Promise<void> {
  // The last state of each deal counts.
  const latest = new Map(deals.map(({ notice }) => [notice.negotiationId, dueOf(notice, tx.now)]))
  if (latest.size) await tx.run(setDeadlines([...latest].map(([id, dueAt]) => ({ id, dueAt }))))
  const wanted = deals.map(deal => ({ notice: { ...deal.notice, lines: [] }, events: mailedEvents(deal) }))
  const mailed: MailedDeal[] = wanted.filter(({ events }) => events.length)
  // One job: to take and to end one costs more than to read what a mail needs.
  if (mailed.length) await jobs.enqueue(tx, JOB, { deals: mailed })
}

/** A deal that begins agreed, as a hire or an accepted offer of the market does, asks nobody to accept it. */
function mailedEvents({ notice, events }: ChangedDeal): MailedDeal['events'] {
  const mailed = events.filter(
    // The mail about a decision says what it means for the money.
    ({ type, isOutcome }) => DEAL_MAILS[type] && !isOutcome && !isUseless(type, notice),
  )
  const begins = events.some(({ type }) => type === 'negotiation.created')
  if (!begins || notice.status === 'PENDING') return mailed
  return mailed.flatMap(event => {
    if (event.type === 'negotiation.created') return []
    // The consent of the seller is older than the deal: it is the buyer who accepted.
    return event.type === 'negotiation.accepted' ? { ...event, by: 'buyer' } : event
  })
}

/** A delivery is repeated only while the escrow is HELD. */
const isUseless = (type: EventType, { escrowStatus }: DealNotice): boolean =>
  type === 'deal.delivery_failed' && escrowStatus !== 'HELD'

const isOpen = ({ escrowStatus }: DealNotice): boolean =>
  escrowStatus === 'HELD' || escrowStatus === 'DISPUTED' || escrowStatus === 'FROZEN'

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
    // Another process may have served it while this one waited for the lock.
    const isDue = (await tx.run(deleteDeadline(negotiationId))) > 0
    if (!isDue || !notice || !isAwaited(notice)) return
    const at = tx.now.toISOString()
    const line = { subject: 'escrow' as const, event: 'remind', to: 'HELD', by: 'timer', at }
    await tx.run(sql`${insertIntoOutbox(DEAL_TOPIC, { ...notice, deliverBy: null, lines: [line] })}`)
  },
}

/** Run twice after a crash they may send a mail twice. */
export const dealMailJobs = (services: Services): JobDefinition[] => [
  { name: JOB, handle: ({ deals }) => sendDealMails(services, deals as MailedDeal[]) },
  { name: SINGLE_JOB, handle: deal => sendDealMails(services, [deal as unknown as MailedDeal]) },
]

const sendDealMails = (services: Services, deals: readonly MailedDeal[]): Promise<void> =>
  mailParties(
    services,
    deals.flatMap(({ notice, events }) => events.flatMap(event => mailsAbout(notice, event))),
  )

function mailsAbout(notice: DealNotice, event: MailedDeal['events'][number]): PartyMail[] {
  const { type, by, decision, unchecked, reason } = event
  const mail = DEAL_MAILS[type]
  if (!mail) return []
  const { waited, escrowStatus } = notice
  return sidesFor(mail, { by, waited, reason }).map(side => {
    const about = {
      side,
      by,
      waited,
      decision,
      unchecked,
      reason,
      escrowStatus,
      isOpen: isOpen(notice),
      ...moneyIn(notice, event),
    }
    return {
      party: notice[side],
      mail: {
        kind: kindOf(type),
        subject: typeof mail.subject === 'string' ? mail.subject : mail.subject(about),
        paragraphs: [mail.lead(about), `${amountsOf(type, about)} You are the ${side}.`],
        link: { text: 'Open the deal', path: `/app/deals/${notice.negotiationId}` },
        call: `GET /ap2/negotiations/${notice.negotiationId}`,
      },
    }
  })
}
