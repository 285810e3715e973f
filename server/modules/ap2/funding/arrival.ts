import assert from 'node:assert/strict'
import { accountById } from '#identity'
import type { ConfirmedPayment, Destination } from '#payments'
import { creditAccount } from '#wallets'
import { letter } from '#platform/adapters/mail/letter'
import { sendMail } from '#platform/adapters/mail/mail'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import type { Tx } from '#platform/kernel/db'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { readFunded, requireEscrow } from '../deal/deal.ts'
import { confirmFunding, failFunding } from '../escrow/funding.ts'

const LATE_JOB = 'ap2.late-funds-mail'

/**
 * The destination of a payment for ESCROW: through the buyer's wallet into the escrow. Funds that arrive late, after the
 * escrow was cancelled, or for a seller that was suspended or archived meanwhile, stay in the wallet, and the buyer is notified.
 */
export const escrowDestination =
  ({ jobs }: Services) =>
  async (tx: Tx, { reference: escrowId, amount, asset, source }: ConfirmedPayment): Promise<Destination> => {
    const hold = await confirmFunding(tx, escrowId)
    const escrow = await requireEscrow(tx, escrowId)
    assert(escrow.amount === amount && escrow.currency === asset, `payment of ${escrowId} is not its amount`)
    const arrival = {
      debit: source,
      credit: creditAccount({ id: escrow.buyerWalletId }, false),
      amount,
      asset,
    }
    if (typeof hold !== 'string') return { ...hold, legs: [arrival, ...hold.legs] }
    await jobs.enqueue(tx, LATE_JOB, { escrowId, why: hold })
    return { legs: [arrival], reference: { escrowId } }
  }

/** Subscriber of `payment.failed`. */
export async function cancelEscrowOfFailedPayment(
  tx: Tx,
  { purpose, reference }: { purpose: string; reference: string },
): Promise<void> {
  if (purpose === 'ESCROW') await failFunding(tx, reference, 'processor')
}

/** The job behind the notice of funds that stay in the wallet. Run twice after a crash it may send the mail twice. */
export const lateFundsJob = (services: Services): JobDefinition => ({
  name: LATE_JOB,
  handle: async ({ escrowId, why }) => mailLateFunds(services, String(escrowId), String(why)),
})

async function mailLateFunds(services: Services, escrowId: string, why: string): Promise<void> {
  const { escrow, negotiation } = await readFunded(services.db, escrowId)
  const buyer = await accountById(services.db, negotiation.buyerAccountId)
  if (buyer?.status !== 'ACTIVE' || !buyer.email) return
  const amount = `${formatMoney(escrow.amount)} ${escrow.currency}`
  const [subject, what] =
    why === 'late'
      ? ['Your payment arrived late', `after the escrow ${escrow.id} had been cancelled`]
      : ['Your payment is in your wallet', `when the seller of the deal had been ${why}`]
  const mail = letter({
    to: buyer.email,
    subject,
    paragraphs: [
      `Your payment of ${amount} arrived ${what}.`,
      `The money is in your wallet ${escrow.buyerWalletId}. The deal has not been paid with it.`,
      'Its page shows whether the deal can still be paid. If so, you can pay it from your wallet. If not, the money is there for another deal.',
    ],
    link: { text: 'Open the deal', url: `${services.publicUrl}/app/deals/${negotiation.id}` },
  })
  await services.db.transaction(tx => sendMail(services, tx, buyer.id, mail))
}
