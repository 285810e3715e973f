import { requireAgent } from '#agents'
import { organizations } from '#identity'
import type { Queryable } from '#platform/kernel/db'
import { TOTAL_CAP, pageAnswer, pageOf, type Page } from '#platform/http/schema'
import { boundAgent, isBound, type RequestContext } from '#platform/http/principal'
import { part, type SqlPart } from '#platform/kernel/sql'
import { requireBuyer, requireRun } from './run.ts'
import { countRuns, listRuns } from './sql.ts'
import { runSummary, runView } from './view.ts'

type Filter = Partial<Page> & { status?: string }

/** The runs that the caller bought, the newest first. */
export async function listOwnRuns(q: Queryable, ctx: RequestContext, filter: Filter) {
  const agentId = boundAgent(ctx.principal)
  if (agentId !== null) return listOf(q, [part`buyer_agent_id = ${agentId}`], { filter, party: 'buyer' })
  const own = isBound(ctx.principal) ? null : ctx.principal.accountId
  const parties = [
    part`buyer_account_id = ${own}::uuid and buyer_organization_id is null`,
    ...(await organizations.organizationsRunBy(q, ctx)).map(id => part`buyer_organization_id = ${id}`),
  ]
  return listOf(q, parties, { filter, party: 'buyer' })
}

/** The runs of an agent, for whoever operates it. */
export async function listRunsOfAgent(q: Queryable, ctx: RequestContext, id: string, filter: Filter) {
  const agent = await requireAgent(q, ctx, id)
  return listOf(q, [part`agent_id = ${agent.id}`], { filter, party: 'seller' })
}

async function listOf(
  q: Queryable,
  parties: readonly SqlPart[],
  { filter, party }: { filter: Filter; party: 'buyer' | 'seller' },
) {
  const page = pageOf(filter)
  const listed = { parties, status: filter.status }
  const rows = await q.rows(listRuns(listed, page))
  const { counted } = await q.one(countRuns(listed, TOTAL_CAP + 1))
  return pageAnswer(
    rows.map(run => runSummary(run, party)),
    counted,
    page,
  )
}

/** A run that the caller bought. */
export async function readOwnRun(q: Queryable, ctx: RequestContext, id: string) {
  const run = await requireRun(q, id)
  await requireBuyer(q, ctx, { run, use: 'read' })
  return runView(run, 'buyer')
}
