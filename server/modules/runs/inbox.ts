import { runDeals } from '#ap2'
import type { Tx } from '#platform/kernel/db'
import { moneyNumber } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { resultUrlOf } from './call/request.ts'
import { takeRun } from './result.ts'
import { lockRun } from './run.ts'
import * as statements from './sql.ts'
import type { Run } from './sql.ts'

/** Of one response: the next ones show once these are done. */
const LISTED_MAX = 20

/**
 * The runs that an agent fetches: it has no endpoint, or said that it reports later. With `take` the run is the agent's from
 * now on, so that it is not ended as one that nobody fetched.
 */
export const fetchWaitingRuns =
  ({ publicUrl }: Pick<Services, 'publicUrl'>) =>
  async (tx: Tx, { agentId, take }: { agentId: string; take: boolean }): Promise<runDeals.WaitingRun[]> => {
    const waiting = await tx.rows(statements.waitingRunsOf(agentId, LISTED_MAX))
    const shown: Run[] = []
    for (const run of waiting) shown.push(take && run.status === 'PENDING' ? await fetchRun(tx, run.id) : run)
    return shown.filter(run => run.endedAt === null).map(run => waitingView(publicUrl, run))
  }

async function fetchRun(tx: Tx, id: string): Promise<Run> {
  const locked = await lockRun(tx, id)
  const { run } = locked
  return run.status === 'PENDING' && run.callAt === null
    ? takeRun(tx, locked, { by: 'seller', agentId: run.agentId })
    : run
}

const waitingView = (publicUrl: string, run: Run): runDeals.WaitingRun => ({
  id: run.id,
  status: run.status,
  input: run.input,
  jobReference: run.jobReference,
  price: moneyNumber(run.price),
  currency: run.currency,
  deadline: run.deadlineAt?.toISOString() ?? null,
  resultUrl: resultUrlOf(publicUrl, run),
  createdAt: run.createdAt.toISOString(),
})
