import type { Tx } from '#platform/kernel/db'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import type { Timer } from '#platform/kernel/background/timers'
import { decideByDefault, lapseDispute } from './dispute/decision.ts'
import { disputeMailJob, disputeReminder } from './dispute/mail.ts'
import { cancelUnconfirmed } from './escrow/funding.ts'
import { lateFundsJob } from './funding/arrival.ts'
import { frozenReport } from './escrow/frozen.ts'
import { endUnfunded } from './negotiation/cancel.ts'
import { refundUndelivered } from './escrow/refund.ts'
import { autoRelease } from './escrow/release.ts'
import { lockDealIfAny } from './deal/deal.ts'
import { DealDraft } from './deal/plan.ts'
import { VERIFY_JOB, verifyAgain, verifyDelivery } from './delivery/verification.ts'

/** Every deadline of deals. The order matters where two fall due at one moment: pay what was verified before refunding the rest. */
export const ap2Timers = (services: Services): Timer[] => [
  ...FUNDING_TIMERS,
  ...deliveryTimers(services),
  ...disputeTimers(services),
  frozenReport(services.log),
]

const FUNDING_TIMERS: readonly Timer[] = [
  {
    name: 'negotiation silent',
    table: 'ap2_negotiation',
    column: 'expires_at',
    where: part`status in ('PENDING', 'COUNTERED')`,
    run: expire,
  },
  {
    name: 'negotiation not funded',
    table: 'ap2_negotiation',
    column: 'fund_by',
    // While funds are on their way, the deadline of the escrow counts.
    where: part`status = 'ACCEPTED' and not exists (select from ap2_escrow e
      where e.negotiation_id = ap2_negotiation.id and e.status = 'PENDING_FUNDING')`,
    run: expire,
  },
  {
    name: 'funds not confirmed',
    table: 'ap2_escrow',
    column: 'fund_by',
    where: part`status = 'PENDING_FUNDING'`,
    run: cancelUnconfirmed,
  },
]

const deliveryTimers = (services: Services): Timer[] => [
  {
    name: 'delivery without a verdict',
    table: 'ap2_delivery',
    column: 'verify_again_at',
    where: part`status = 'VERIFYING'`,
    run: (tx, id) => verifyAgain(tx, services, id),
  },
  {
    name: 'verified delivery unanswered',
    table: 'ap2_milestone',
    column: 'auto_release_at',
    run: autoRelease,
    where: part`auto_release_at is not null and exists (select from ap2_escrow e where e.id = escrow_id and e.status = 'HELD')`,
  },
  {
    name: 'nothing delivered',
    table: 'ap2_escrow',
    column: 'deliver_by',
    run: refundUndelivered,
    where: part`status = 'HELD' and not exists (select from ap2_milestone m where m.escrow_id = ap2_escrow.id
      and (m.delivery_status = 'VERIFYING' or m.auto_release_at is not null))`,
  },
]

const disputeTimers = ({ jobs }: Services): Timer[] => [
  disputeReminder({ jobs }),
  {
    name: 'dispute unanswered',
    table: 'ap2_escrow',
    column: 'answer_by',
    where: part`status = 'DISPUTED'`,
    run: decideByDefault,
  },
  {
    name: 'dispute undecided',
    table: 'ap2_escrow',
    column: 'lapses_at',
    where: part`status = 'DISPUTED'`,
    run: lapseDispute,
  },
]

async function expire(tx: Tx, id: string): Promise<void> {
  const deal = await lockDealIfAny(tx, part`${id}::uuid`)
  const deadline = deal?.negotiation.expiresAt ?? deal?.negotiation.fundBy
  if (!deal || deal.escrow || !deadline || deadline > tx.now) return
  await endUnfunded(tx, new DealDraft(deal, tx.now), { event: 'expire', by: 'timer' })
}

export const ap2Jobs = (services: Services): JobDefinition[] => [
  {
    name: VERIFY_JOB,
    handle: async payload => {
      await verifyDelivery(services, String(payload.deliveryId))
    },
    // A checker that does not answer keeps its job waiting.
    concurrency: 3,
  },
  disputeMailJob(services),
  lateFundsJob(services),
]
