import { accountById, type Account } from '#identity'
import { DAY, SECOND } from '#platform/clock'
import type { Queryable, Tx } from '#platform/db'
import type { JobDefinition, Jobs } from '#platform/jobs'
import { sendMail, type Mail } from '#platform/mail'
import { letter } from '#platform/mail/letter'
import { formatMoney } from '#platform/money'
import type { Services } from '#platform/services'
import { part } from '#platform/sql'
import type { Timer } from '#platform/timers'
import { lockFunded, otherSide, readDeal, type Deal } from './deal.ts'
import { heldOf, type DisputeRow, type EscrowRow, type Side } from './rows.ts'
import * as statements from './sql.ts'

const JOB = 'ap2.dispute-mail'
/** Anybody can pay an agent a little and dispute it: that must not fill its owner's mailbox. */
const MAILS_A_DAY = 50

type Kind = 'opened' | 'reminder'

/** Sends a mail about a dispute to both parties once this transaction commits. */
export const requestDisputeMails = (tx: Tx, jobs: Jobs, disputeId: string, kind: Kind): Promise<void> =>
  jobs.enqueue(tx, JOB, { disputeId, kind })

/** Reminds both parties a day before the answer to a dispute is due. */
export const disputeReminder = ({ jobs }: Pick<Services, 'jobs'>): Timer => ({
  name: 'dispute reminder', table: 'ap2_dispute_reminder', column: 'due_at', where: part`true`,
  act: (tx, id) => remind(tx, jobs, id),
})

async function remind(tx: Tx, jobs: Jobs, disputeId: string): Promise<void> {
  const { escrow_id: escrowId } = await tx.one(statements.disputeById(disputeId))
  const { escrow } = await lockFunded(tx, escrowId)
  const dispute = await tx.one(statements.disputeById(disputeId))
  if (dispute.ended_at || dispute.reminded_at || !escrow.answer_by) return
  await tx.run(statements.update<DisputeRow>('ap2_dispute', disputeId, { reminded_at: tx.now }))
  // Served late: nobody can act on it any more.
  if (escrow.answer_by > tx.now) await requestDisputeMails(tx, jobs, disputeId, 'reminder')
}

/** The job behind `requestDisputeMails`. Run twice after a crash it may send a mail twice. */
export const disputeMailJob = (services: Services): JobDefinition => ({
  name: JOB,
  handle: async ({ disputeId, kind }) => sendDisputeMails(services, String(disputeId), kind as Kind),
})

async function sendDisputeMails(services: Services, disputeId: string, kind: Kind): Promise<void> {
  const { db, limits, clock } = services
  const dispute = await db.maybe(statements.disputeById(disputeId))
  if (!dispute || dispute.ended_at) return
  const escrow = await db.one(statements.escrowById(dispute.escrow_id))
  const deal = await readDeal(db, escrow.negotiation_id, clock.now())
  for (const [account, side] of await recipients(db, deal)) {
    if (!(await limits.take(`dispute-mail:${account.id}`, MAILS_A_DAY, DAY / SECOND)).allowed) continue
    const mail = disputeMail({ dispute, escrow, kind, side, to: account.email, publicUrl: services.publicUrl })
    await db.transaction(tx => sendMail(services, tx, account.id, mail))
  }
}

/** People with an address who speak for a party: its account, or those who run its organization; each once. */
async function recipients(q: Queryable, { negotiation, staff }: Deal): Promise<[Account, Side][]> {
  const peopleOf = (side: Side) => {
    const organizationId = negotiation[`${side}_organization_id`]
    return organizationId ? [...staff.get(organizationId) ?? []] : [negotiation[`${side}_account_id`]]
  }
  const found = new Map<string, [Account, Side]>()
  for (const side of ['buyer', 'seller'] as const) {
    for (const id of peopleOf(side)) {
      const account = await accountById(q, id)
      const reachable = account?.userType === 'HUMAN' && account.status === 'ACTIVE' && account.email
      if (account && reachable && !found.has(id)) found.set(id, [account, side])
    }
  }
  return [...found.values()]
}

interface About { dispute: DisputeRow; escrow: EscrowRow; kind: Kind; side: Side; to: string; publicUrl: string }

/** No text of a party is in it: a mail of this service must not carry what strangers write. */
function disputeMail({ dispute, escrow, kind, side, to, publicUrl }: About): Mail {
  const opener = dispute.opened_by
  const amount = `${formatMoney(heldOf(escrow))} ${escrow.currency}${escrow.test ? ' (test credit)' : ''}`
  const until = escrow.answer_by ? `${escrow.answer_by.toISOString().slice(0, 16).replace('T', ' ')} UTC` : null
  const isOpener = side === opener
  const opened = isOpener
    ? `You opened a dispute about the escrow ${escrow.id}, which holds ${amount}.`
    : `The ${opener} opened a dispute about the escrow ${escrow.id}, which holds ${amount}. You are the ${side}.`
  const reminder = `The dispute about the escrow ${escrow.id}, which holds ${amount}, has no answer yet.`
  return letter({
    to, subject: kind === 'opened' ? 'A dispute was opened' : 'A dispute needs an answer by tomorrow',
    paragraphs: [
      kind === 'opened' ? opened : reminder,
      ...(until ? [isOpener ? `The ${otherSide(opener)} can answer until ${until}.` : `Answer until ${until}.`, silence(opener)] : []),
      `Read it: GET ${publicUrl}/payments/escrow/${escrow.id}`,
      ...(isOpener ? [] : [`Answer it: POST ${publicUrl}/payments/escrow/${escrow.id}/dispute/respond`]),
    ],
  })
}

const silence = (opener: Side): string => (opener === 'buyer'
  ? 'Without an answer from the seller, what is not released goes back to the buyer.'
  : 'Without an answer from the buyer, what has a verified delivery is paid to the seller; the rest waits for an operator.')
