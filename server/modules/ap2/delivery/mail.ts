import { DAY, SECOND } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import type { JobDefinition, Jobs } from '#platform/kernel/background/jobs'
import { sendMail } from '#platform/adapters/mail/mail'
import { letter } from '#platform/adapters/mail/letter'
import type { Services } from '#platform/kernel/services'
import { readFunded, type FundedDeal } from '../deal/deal.ts'
import { recipients } from '../deal/recipients.ts'
import * as statements from '../deal/sql.ts'

const JOB = 'ap2.inconclusive-mail'
/** A seller can deliver again and again: that must not fill the buyer's mailbox. */
const MAILS_A_DAY = 20

/** Sends the buyer a mail about a delivery that could not be checked in full once this transaction commits. */
export const requestInconclusiveMail = (tx: Tx, jobs: Jobs, deliveryId: string): Promise<void> =>
  jobs.enqueue(tx, JOB, { deliveryId })

/** The job behind `requestInconclusiveMail`. Run twice after a crash it may send a mail twice. */
export const inconclusiveMailJob = (services: Services): JobDefinition => ({
  name: JOB,
  handle: async ({ deliveryId }) => sendInconclusiveMails(services, String(deliveryId)),
})

async function sendInconclusiveMails(services: Services, deliveryId: string): Promise<void> {
  const { db, limits, publicUrl } = services
  const delivery = await db.maybe(statements.deliveryById(deliveryId))
  const open = delivery?.criteria?.filter(({ status }) => status === 'ERROR') ?? []
  if (!delivery || delivery.status !== 'VERIFIED' || !open.length) return
  const deal = await readFunded(db, delivery.escrowId)
  for (const [account] of await recipients(db, deal, ['buyer'])) {
    if (!(await limits.take(`inconclusive-mail:${account.id}`, MAILS_A_DAY, DAY / SECOND)).allowed) continue
    // Contains no text of a party: a mail of this service must not carry texts of other accounts.
    const mail = letter({
      to: account.email,
      subject: 'A delivery could not be checked in full',
      paragraphs: [
        `A delivery for the escrow ${delivery.escrowId} was accepted for your review.`,
        `${open.length} of its ${delivery.criteria?.length} acceptance criteria could not be checked, so they count as neither passed nor failed. ${nextOf(deal)}`,
      ],
      link: { text: 'Review the delivery', url: `${publicUrl}/app/deals/${deal.negotiation.id}` },
      details: [
        `For programs: GET ${publicUrl}/payments/escrow/${delivery.escrowId}, POST ${publicUrl}/payments/escrow/${delivery.escrowId}/changes`,
      ],
    })
    await db.transaction(tx => sendMail(services, tx, account.id, mail))
  }
}

/** What becomes of the money. A dispute or a freeze stops the timer that releases it. */
function nextOf({ escrow, negotiation }: FundedDeal): string {
  if (escrow.status === 'DISPUTED') return 'The payment waits until the dispute has ended.'
  if (escrow.status === 'FROZEN') return 'The payment waits: the escrow is frozen.'
  return `Without a response from you the money is released after ${negotiation.autoReleaseDays} days.`
}
