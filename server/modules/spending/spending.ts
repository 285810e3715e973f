import { agentById } from '#agents'
import { boundAgent, type RequestContext } from '#platform/http/principal'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import { SPENDING } from './errors.ts'
import { checkSpending, dayOf, periodOf, type Counterparty, type SpendingAction, type Usage } from './plan.ts'
import {
  insertSpend,
  limitsOf,
  lockLimitsOf,
  updateReturned,
  usageOf,
  type Limits,
  type Spend,
} from './sql.ts'

export interface SpendingRequest {
  /** The agent whose limits apply. */
  agentId: string
  /** In micro-units. */
  amount: bigint
  action: SpendingAction
  counterpartyAgentId?: string | null
  /** The counterparty's account, for one without an agent. */
  counterpartyAccountId?: string | null
}

// Only these record a spend in the same transaction: the others decide nothing about money yet.
const SPENDS: readonly SpendingAction[] = ['fund', 'execute']

/**
 * Applies budget and autonomy policy of an agent: 403 with the limit that does not allow the action. `approval` is true
 * where its owner must approve it. For `fund` and `execute` the limits stay locked until the end of the transaction, which
 * records the spend: concurrent spends cannot exceed a limit together.
 */
export async function requireSpending(tx: Tx, request: SpendingRequest): Promise<{ approval: boolean }> {
  const { agentId, action } = request
  const read = SPENDS.includes(action) ? lockLimitsOf : limitsOf
  const limits = await tx.maybe(read(agentId))
  if (!limits) return { approval: false }
  // By a statement of its own after the lock, so that it sees what the last holder of the lock spent.
  const usage = await readUsage(tx, limits, tx.now)
  return checkSpending(limits, { ...request, counterparty: await counterpartyOf(tx, limits, request) }, usage)
}

/** The limits of an agent if it has any, for a command that reads them together with other rows. */
export const findLimits = async (q: Queryable, agentId: string | null | undefined) =>
  agentId && isId(agentId) ? q.maybe(limitsOf(agentId)) : undefined

export const readUsage = (
  q: Queryable,
  limits: Pick<Limits, 'agentId' | 'periodStart'>,
  now: Date,
): Promise<Usage> => q.one(usageOf(limits.agentId, { period: periodOf(limits, now), day: dayOf(now) }))

async function counterpartyOf(
  tx: Tx,
  { categories, minimumTier }: Limits,
  { counterpartyAgentId: agentId = null, counterpartyAccountId: accountId = null }: SpendingRequest,
): Promise<Counterparty> {
  const needsAgent = categories.length > 0 || minimumTier !== 'UNVERIFIED'
  const agent = agentId !== null && needsAgent ? await agentById(tx, agentId) : undefined
  return { agentId, accountId, trustTier: agent?.trustTier, categories: agent?.categories }
}

/**
 * 403 `Approval required` unless the owner of the agent does it in person: signed in, and not by a key. For an action whose
 * check returned `approval`.
 */
export function requireApprovalByOwner(
  { principal }: RequestContext,
  { ownerId }: { ownerId: string },
  { approval }: { approval: boolean },
): void {
  if (!approval) return
  const isOwner = principal.via === 'session' && principal.accountId === ownerId
  if (!isOwner || boundAgent(principal) !== null)
    throw apiError(SPENDING.APPROVAL_REQUIRED, {
      hint: 'The amount is above the approval threshold of the agent: its owner must do this after signing in',
    })
}

/** Records a spend outside an escrow of ap2, which records its own; after `requireSpending` in the same transaction. */
export const recordSpending = (tx: Tx, spend: Spend): void => tx.write(sql`${insertSpend(spend)}`)

/** Records how much of a spend has come back in all: it is available again in the period in which it was spent. */
export const recordReturn = (tx: Tx, reference: string, returned: bigint): void =>
  tx.write(sql`${updateReturned(reference, returned)}`)
