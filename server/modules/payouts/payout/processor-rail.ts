import { accounts } from '#ledger'
import { answered, installationOf, NoAnswer, processorOf, type connected } from '#payments'
import { after, HOUR } from '#platform/kernel/clock'
import { ApiError } from '#platform/kernel/errors'
import { toCents } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import type { RailReport } from './rails.ts'
import type { Payout } from './sql.ts'

/** A processor keeps idempotency keys for a day: after this time a payout that it does not know is not sent again. */
const SEND_FOR = 12 * HOUR

/** A payout to a bank. One that failed has been taken back when this returns: its money is ours again. Throws NoAnswer. */
export async function processorReport(services: Services, payout: Payout): Promise<RailReport> {
  const report = await completeOrRead(services, payout)
  const hasFailed = report.state === 'failed' || report.state === 'canceled'
  if (hasFailed && report.transferId !== null)
    await answered(processorOf(services).payouts.reverse(payout.id, payout.destination))
  return report
}

async function completeOrRead(services: Services, payout: Payout): Promise<RailReport> {
  const { id, destination, sentAt, transferId, asks } = payout
  const isFirst = transferId === null && asks === 0
  const found = isFirst ? null : await answered(processorOf(services).payouts.read(id, destination))
  if (found && isComplete(found)) return view(found)
  if (!found && transferId !== null) throw new NoAnswer(`the processor does not know payout ${id} any more`)
  const isLate = sentAt !== null && after(sentAt, SEND_FOR) < services.clock.now()
  if (!found && !isFirst && isLate) return NOT_SENT
  return send(services, payout)
}

// A transfer without a payout is half of the order: sending it again completes it.
const isComplete = ({ payoutId, state }: connected.PayoutReport): boolean =>
  payoutId !== null || state !== 'pending'

async function send(services: Services, payout: Payout): Promise<RailReport> {
  const { id, destination: accountId, amount } = payout
  const { payouts } = processorOf(services)
  const installation = await installationOf(services)
  try {
    const order = { id, installation, accountId, cents: toCents(amount), description: `Payout ${id}` }
    return view(await answered(payouts.send(order)))
  } catch (error) {
    if (!(error instanceof ApiError) || error.row.status >= 500) throw error
    const found = await answered(payouts.read(id, accountId))
    if (found) return view(found)
    return { ...NOT_SENT, failure: { code: error.row.code.toLowerCase(), message: error.message } }
  }
}

const view = ({ transferId, payoutId, state, failure }: connected.PayoutReport): RailReport => ({
  transferId,
  bankPayoutId: payoutId,
  state,
  failure,
  source: accounts.processor,
  gas: null,
})

const NOT_SENT: RailReport = {
  transferId: null,
  bankPayoutId: null,
  state: 'failed',
  source: accounts.processor,
  gas: null,
  failure: { code: 'not_sent', message: 'The processor did not accept the payout in time' },
}
