import type { Tx } from '#platform/db'
import type { JobDefinition } from '#platform/jobs'
import type { Services } from '#platform/services'
import { part } from '#platform/sql'
import type { Timer } from '#platform/timers'
import { decideByDefault, lapseDispute } from './dispute.ts'
import { disputeMailJob, disputeReminder } from './dispute-mail.ts'
import { frozenReport } from './frozen.ts'
import { endUnfunded } from './negotiation.ts'
import { refundUndelivered } from './refund.ts'
import { autoRelease } from './release.ts'
import * as statements from './sql.ts'
import { VERIFY_JOB, verifyAgain, verifyDelivery } from './verification.ts'

/** Every deadline of deals. The order matters where two fall due at one moment: pay what was verified before refunding the rest. */
export const ap2Timers = ({ jobs, log }: Services): Timer[] => [
  {
    name: 'negotiation silent', table: 'ap2_negotiation', column: 'expires_at',
    where: part`status in ('PENDING', 'COUNTERED')`, act: expire,
  },
  {
    name: 'negotiation not funded', table: 'ap2_negotiation', column: 'fund_by', where: part`status = 'ACCEPTED'`,
    act: expire,
  },
  {
    name: 'delivery without a verdict', table: 'ap2_delivery', column: 'verify_again_at',
    where: part`status = 'VERIFYING'`,
    act: (tx, id) => verifyAgain(tx, jobs, id),
  },
  {
    name: 'verified delivery unanswered', table: 'ap2_milestone', column: 'auto_release_at', act: autoRelease,
    where: part`auto_release_at is not null and exists (select from ap2_escrow e where e.id = escrow_id and e.status = 'HELD')`,
  },
  {
    name: 'nothing delivered', table: 'ap2_escrow', column: 'deliver_by', act: refundUndelivered,
    where: part`status = 'HELD' and not exists (select from ap2_milestone m where m.escrow_id = ap2_escrow.id
      and (m.delivery_status = 'VERIFYING' or m.auto_release_at is not null))`,
  },
  disputeReminder({ jobs }),
  {
    name: 'dispute unanswered', table: 'ap2_escrow', column: 'answer_by', where: part`status = 'DISPUTED'`,
    act: decideByDefault,
  },
  {
    name: 'dispute undecided', table: 'ap2_escrow', column: 'lapses_at', where: part`status = 'DISPUTED'`,
    act: lapseDispute,
  },
  frozenReport(log),
]

async function expire(tx: Tx, id: string): Promise<void> {
  const negotiation = await tx.maybe(statements.lockNegotiation(id))
  const deadline = negotiation?.expires_at ?? negotiation?.fund_by
  if (!negotiation || !deadline || deadline > tx.now) return
  await endUnfunded(tx, negotiation, { event: 'expire', by: 'timer' })
}

export const ap2Jobs = (services: Services): JobDefinition[] => [
  { name: VERIFY_JOB, handle: async payload => { await verifyDelivery(services, String(payload.deliveryId)) } },
  disputeMailJob(services),
]
