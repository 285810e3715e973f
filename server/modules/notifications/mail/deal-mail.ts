import { DEAL_TOPIC, lockDealNotice, type DealNotice } from '#ap2'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import { insertIntoOutbox } from '#platform/kernel/background/outbox'
import type { Timer } from '#platform/kernel/background/timers'
import { after, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'
import { kindOf } from '../events/kinds.ts'
import type { ChangedDeal } from '../events/project.ts'
import type { EventType } from '../events/types.ts'
import { mailParty } from './person-mail.ts'
import { deleteDeadline, EVERY, setDeadlines } from './sql.ts'
import { DEAL_MAILS, moneyOf, sidesFor } from './texts.ts'

const JOB = 'notifications.deal-mail'

/** Requests the mails about changed deals, and sets their reminders, with the events in one transaction. */
export async function followDeals(
  tx: Tx,
  { jobs }: Pick<Services, 'jobs'>,
  deals: readonly ChangedDeal[],
): Promise<void> {
  // The last state of each deal counts.
  const latest = new Map(deals.map(({ notice }) => [notice.negotiationId, dueOf(notice, tx.now)]))
  if (latest.size) await tx.run(setDeadlines([...latest].map(([id, dueAt]) => ({ id, dueAt }))))
  const wanted = deals.map(({ notice, events }) => ({
    notice: { ...notice, lines: [] },
    events: events.filter(({ type }) => DEAL_MAILS[type]),
  }))
  await jobs.enqueueAll(
    tx,
    JOB,
    wanted.filter(({ events }) => events.length),
  )
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
    // Another process may have served it while this one waited for the lock.
    const isDue = (await tx.run(deleteDeadline(negotiationId))) > 0
    if (!isDue || !notice || !isAwaited(notice)) return
    const at = tx.now.toISOString()
    const line = { subject: 'escrow' as const, event: 'remind', to: 'HELD', by: 'timer', at }
    await tx.run(sql`${insertIntoOutbox(DEAL_TOPIC, { ...notice, deliverBy: null, lines: [line] })}`)
  },
}

/** Run twice after a crash it may send a mail twice. */
export const dealMailJob = (services: Services): JobDefinition => ({
  name: JOB,
  // Each waits for the database most of its time.
  batch: 4,
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
  const mail = DEAL_MAILS[type]
  if (!mail) return
  const money = moneyOf(notice)
  for (const side of sidesFor(mail, by))
    await mailParty(services, notice[side], {
      kind: kindOf(type),
      subject: mail.subject,
      paragraphs: [mail.lead({ money, side }), `Price: ${money}. You are the ${side}.`],
      link: { text: 'Open the deal', path: `/app/deals/${notice.negotiationId}` },
      call: `GET /ap2/negotiations/${notice.negotiationId}`,
    })
}
