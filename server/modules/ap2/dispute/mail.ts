import { DAY, SECOND } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import type { JobDefinition, Jobs } from '#platform/kernel/background/jobs'
import { sendMail, type Mail } from '#platform/adapters/mail/mail'
import { letter } from '#platform/adapters/mail/letter'
import { formatMoney, fromCents } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { part, writeTogether } from '#platform/kernel/sql'
import type { Timer } from '#platform/kernel/background/timers'
import { lockFunded, otherSide, readDeal } from '../deal/deal.ts'
import { recipients } from '../deal/recipients.ts'
import { heldOf, type DisputeRow, type EscrowRow, type Side } from '../deal/rows.ts'
import * as statements from '../deal/sql.ts'

const JOB = 'ap2.dispute-mail'
/**
 * Anybody can pay an agent a little and dispute it: that must not fill its owner's mailbox. It must not use up the mails
 * about other disputes either, which are lost without an answer.
 */
const SMALL_MAILS_A_DAY = 50
const SMALL = fromCents(1000)

type Kind = 'opened' | 'reminder'

/** Sends a mail about a dispute to both parties once this transaction commits. */
export const requestDisputeMails = (tx: Tx, jobs: Jobs, disputeId: string, kind: Kind): Promise<void> =>
  jobs.enqueue(tx, JOB, { disputeId, kind })

/** Reminds both parties a day before the answer to a dispute is due. */
export const disputeReminder = ({ jobs }: Pick<Services, 'jobs'>): Timer => ({
  name: 'dispute reminder',
  table: 'ap2_dispute_reminder',
  column: 'due_at',
  where: part`true`,
  run: (tx, id) => remind(tx, jobs, id),
})

async function remind(tx: Tx, jobs: Jobs, disputeId: string): Promise<void> {
  const { escrowId } = await tx.one(statements.disputeById(disputeId))
  const { escrow } = await lockFunded(tx, escrowId)
  const dispute = await tx.one(statements.disputeById(disputeId))
  if (dispute.endedAt || dispute.remindedAt || !escrow.answerBy) return
  tx.write(
    writeTogether({ updates: [statements.updateRow('ap2_dispute', disputeId, { remindedAt: tx.now })] }),
  )
  // A late reminder is useless: the deadline has passed.
  if (escrow.answerBy > tx.now) await requestDisputeMails(tx, jobs, disputeId, 'reminder')
}

/** The job behind `requestDisputeMails`. Run twice after a crash it may send a mail twice. */
export const disputeMailJob = (services: Services): JobDefinition => ({
  name: JOB,
  handle: async ({ disputeId, kind }) => sendDisputeMails(services, String(disputeId), kind as Kind),
})

async function sendDisputeMails(services: Services, disputeId: string, kind: Kind): Promise<void> {
  const { db, limits, clock } = services
  const dispute = await db.maybe(statements.disputeById(disputeId))
  if (!dispute || dispute.endedAt) return
  const escrow = await db.one(statements.escrowById(dispute.escrowId))
  const deal = await readDeal(db, escrow.negotiationId, clock.now())
  for (const [account, side] of await recipients(db, deal)) {
    const isLimited = escrow.test || heldOf(escrow) < SMALL
    const key = `dispute-mail:${account.id}`
    if (isLimited && !(await limits.take(key, SMALL_MAILS_A_DAY, DAY / SECOND)).allowed) continue
    const mail = disputeMail({
      dispute,
      escrow,
      kind,
      side,
      to: account.email,
      publicUrl: services.publicUrl,
    })
    await db.transaction(tx => sendMail(services, tx, account.id, mail))
  }
}

interface About {
  dispute: DisputeRow
  escrow: EscrowRow
  kind: Kind
  side: Side
  to: string
  publicUrl: string
}

/** Contains no text of a party: a mail of this service must not carry texts of other accounts. */
function disputeMail({ dispute, escrow, kind, side, to, publicUrl }: About): Mail {
  const opener = dispute.openedBy
  const amount = `${formatMoney(heldOf(escrow))} ${escrow.currency}${escrow.test ? ' (test credit)' : ''}`
  const until = escrow.answerBy ? `${escrow.answerBy.toISOString().slice(0, 16).replace('T', ' ')} UTC` : null
  const isOpener = side === opener
  const opened = isOpener
    ? `You opened a dispute about the escrow ${escrow.id}, which holds ${amount}.`
    : `The ${opener} opened a dispute about the escrow ${escrow.id}, which holds ${amount}. You are the ${side}.`
  const reminder = `The dispute about the escrow ${escrow.id}, which holds ${amount}, has no answer yet.`
  return letter({
    to,
    subject: kind === 'opened' ? 'A dispute was opened' : 'A dispute needs an answer by tomorrow',
    paragraphs: [
      kind === 'opened' ? opened : reminder,
      ...(until
        ? [
            isOpener ? `The ${otherSide(opener)} can answer until ${until}.` : `Answer until ${until}.`,
            silence(opener),
          ]
        : []),
    ],
    link: {
      text: isOpener ? 'Open the deal' : 'Answer the dispute',
      url: `${publicUrl}/app/deals/${escrow.negotiationId}`,
    },
    details: [
      `For programs: GET ${publicUrl}/payments/escrow/${escrow.id}${
        isOpener ? '' : `, POST ${publicUrl}/payments/escrow/${escrow.id}/dispute/respond`
      }`,
    ],
  })
}

const silence = (opener: Side): string =>
  opener === 'buyer'
    ? 'Without an answer from the seller, what is not released goes back to the buyer.'
    : 'Without an answer from the buyer, what has a verified delivery is paid to the seller; the rest waits for an operator.'
