import { requireAgent } from '#agents'
import { Type } from '#platform/http/type'
import type { Db } from '#platform/kernel/db'
import type { RequestContext } from '#platform/http/principal'
import { named, PageOf, pageOf, type Page } from '#platform/http/schema'
import { SECOND } from '#platform/kernel/clock'
import { WaitingRunRecord, waitingRuns } from '../execution/ports.ts'
import { Negotiation } from '../negotiation/schema.ts'
import { workWatch } from '../ports.ts'
import { inboxOf } from './lists.ts'
import { negotiationPage } from './responses.ts'

export const Inbox = named(
  'AgentInbox',
  Type.Object({
    ...PageOf(Negotiation).properties,
    runs: Type.Array(WaitingRunRecord, { description: 'Runs that wait for the agent' }),
  }),
)

interface Asked {
  agentId: string
  query: Partial<Page> & { wait?: number; take?: boolean }
  /** Aborts when the client closes the connection. */
  closed(): AbortSignal
}

/** The open tasks of an agent. With `wait` in seconds, an empty inbox is read again after each event of the agent. */
export async function readInbox(db: Db, ctx: RequestContext, { agentId, query, closed }: Asked) {
  const { wait = 0, take = true, ...page } = query
  const read = async () => {
    const runs = await fetchRuns(db, ctx, { agentId, take })
    const tasks = await db.snapshot(async q =>
      negotiationPage(q, ctx, await inboxOf(q, ctx, agentId, pageOf(page)), page),
    )
    return { ...tasks, runs }
  }
  const found = await read()
  if (!wait || found.total || found.runs.length) return found
  const deadline = performance.now() + wait * SECOND
  const watch = await workWatch.call(db, { ctx, agentId })
  const signal = closed()
  try {
    // Read after the watch began: what arrives from now on, it sees.
    for (;;) {
      const now = await read()
      const left = deadline - performance.now()
      if (now.total || now.runs.length || left <= 0) return now
      // A run is no event of a deal: the end of the wait looks for runs again.
      if (!(await watch.next(left, signal))) return signal.aborted ? now : await read()
    }
  } finally {
    watch.close()
  }
}

/** The runs of an agent. A program that asks with `take` takes them; a person only looks at them. */
async function fetchRuns(db: Db, ctx: RequestContext, asked: { agentId: string; take: boolean }) {
  const { principal } = ctx
  const take = asked.take && (principal.via !== 'session' || principal.userType === 'AGENT')
  return db.transaction(async tx => {
    const { id: agentId } = await requireAgent(tx, ctx, asked.agentId)
    return (await waitingRuns.call(tx, { agentId, take })).flat()
  })
}
