import { boundAgent, boundOrganization, type RequestContext } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import type { Queryable } from '#platform/kernel/db'
import { part, type SqlPart } from '#platform/kernel/sql'
import * as statements from './sql.ts'
import type { ListedArtifactRow } from './sql.ts'

/** A page of what the account of the caller uploaded, itself or through its agents; of a bound key, what that key holds. */
export async function listOwnArtifacts<View>(
  q: Queryable,
  ctx: RequestContext,
  { page, view }: { page: Page; view: (row: ListedArtifactRow) => View },
) {
  const holder = holderOf(ctx)
  const rows = await q.rows(statements.listArtifacts(holder, page))
  const { counted } = await q.one(statements.countArtifacts(holder, TOTAL_CAP + 1))
  return pageAnswer(rows.map(view), counted, page)
}

/** The artifacts `a` that the caller may delete. */
function holderOf({ principal }: RequestContext): SqlPart {
  const { accountId } = principal
  const agentId = boundAgent(principal)
  if (agentId !== null) return part`a.agent_id = ${agentId}`
  const organizationId = boundOrganization(principal)
  if (organizationId !== null)
    return part`a.account_id = ${accountId} and a.agent_id is null and a.organization_id = ${organizationId}`
  return part`a.account_id = ${accountId} and (a.agent_id is null or a.agent_id in (
    select o.id from agents_agent o
    where o.owner_id = ${accountId} or (o.creator_id = ${accountId} and o.creator_detached_at is null)))`
}
