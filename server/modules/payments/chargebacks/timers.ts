import type { JobDefinition } from '#platform/kernel/background/jobs'
import type { Timer } from '#platform/kernel/background/timers'
import { after } from '#platform/kernel/clock'
import type { Db } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import type { ProcessorHint } from '../ports.ts'
import { ASK_EVERY, followDispute } from './follow.ts'
import { chargebackMailJob } from './mail.ts'
import * as statements from './sql.ts'

const ASK_JOB = 'payments.read-dispute'

/** Asks for the state of an open dispute once a day: its notification may have been lost. */
export const chargebackTimer = ({ jobs }: Services): Timer => ({
  name: 'chargeback without an outcome',
  table: 'payments_chargeback',
  column: 'ask_at',
  where: part`ask_at is not null`,
  async run(tx, id) {
    await tx.run(statements.askAgain(id, after(tx.now, ASK_EVERY)))
    const { disputeId } = await tx.one(statements.chargebackById(id))
    await jobs.enqueue(tx, ASK_JOB, { disputeId })
  },
})

export const chargebackJobs = (services: Services): JobDefinition[] => [
  {
    name: ASK_JOB,
    handle: async ({ disputeId }) => {
      await followDispute(services, String(disputeId))
    },
  },
  chargebackMailJob(services),
]

/** Handler of the processor's events about disputes. */
export const handleDisputeEvent =
  (services: Services) =>
  (_db: Db, { object: { id } }: ProcessorHint): Promise<string> =>
    typeof id === 'string' ? followDispute(services, id) : Promise.resolve('mismatch')
