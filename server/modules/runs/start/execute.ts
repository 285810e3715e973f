import { agentById, isOwner, requireAgent, requireTradable, visibleAgent, type Agent } from '#agents'
import { runDeals } from '#ap2'
import { erasure } from '#identity'
import { requireOwnWallet } from '#wallets'
import { after } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { COMMON, apiError, invalid } from '#platform/kernel/errors'
import { boundAgent, type RequestContext } from '#platform/http/principal'
import { publish } from '#platform/kernel/events'
import { newId } from '#platform/kernel/id'
import { insertHistory } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'
import { enqueueCall } from '../call/call.ts'
import { RUNS } from '../errors.ts'
import { APPROVAL_TIME, CALL_LEASE, FETCH_TIME, INPUT_MAX } from '../limits.ts'
import { priceOfRun } from './price.ts'
import { runAwaitsApproval, runCreated } from '../events.ts'
import { eventOf, insertRun, type Run } from '../sql.ts'
import { runView } from '../view.ts'

export interface ExecuteInput {
  id: string
  input?: unknown
  sourceWalletId?: string
  budget?: number | string
  jobReference?: string
  initiatorAgentId?: string
}

/** Before the transaction: 400 for an input that is missing, too large, or does not fit the schema of the agent. */
export async function requireValidInput(
  { db, schemas }: Services,
  ctx: RequestContext,
  { id, input }: ExecuteInput,
): Promise<void> {
  if (input === undefined || input === null) throw invalid('input is required')
  if (typeof input !== 'object' && typeof input !== 'string') throw invalid('input must be an object or text')
  if (JSON.stringify(input).length > INPUT_MAX) throw invalid('input must not be larger than 64 KiB')
  const agent = await visibleAgent(db, ctx, { id })
  requireTradable(agent)
  if (!agent.inputSchema) return
  const { accountId } = ctx.principal
  const answer = await schemas.check(accountId, { type: 'value', schema: agent.inputSchema, value: input })
  if (!answer.ok)
    throw apiError(RUNS.RUN_INPUT_INVALID, { hint: answer.reason, details: { code: answer.code } })
}

type Rules = Parameters<typeof runDeals.holdForRun>[3]

/** Starts a run: its price is held, then the agent is called or fetches it. Above the threshold it waits for approval. */
export async function executeAgent(
  tx: Tx,
  ctx: RequestContext,
  input: ExecuteInput,
  { services, rules }: { services: Services; rules: Rules },
) {
  const agent = await visibleAgent(tx, ctx, { id: input.id })
  await requireAccounts(tx, ctx, agent)
  requireTradable(agent)
  const buyerAgent = await buyingAgent(tx, ctx, input)
  if (buyerAgent) requireBuyingAgent(ctx, buyerAgent, agent)
  const price = priceOfRun(agent, input.budget)
  const id = newId()
  const order = { agent, buyerAgent, amount: price, runId: id, sourceWalletId: input.sourceWalletId }
  const { held, approval: isAwaiting } =
    price > 0n
      ? await runDeals.holdForRun(tx, ctx, order, rules)
      : { held: null, ...(await runDeals.requireRunAllowed(tx, order)) }
  const isPushed = agent.ap2Endpoint !== null
  const run: Run = {
    ...newRun(tx.now),
    id,
    status: isAwaiting ? 'AWAITING_APPROVAL' : 'PENDING',
    agentId: agent.id,
    buyerAccountId: buyerAgent?.ownerId ?? ctx.principal.accountId,
    buyerAgentId: buyerAgent?.id ?? null,
    buyerOrganizationId: held?.deal.negotiation.buyerOrganizationId ?? null,
    price,
    currency: agent.priceCurrency,
    test: held?.deal.escrow.test ?? false,
    escrowId: held?.deal.escrow.id ?? null,
    negotiationId: held?.deal.negotiation.id ?? null,
    payment: held ? 'HELD' : 'FREE',
    input: input.input,
    outputSchema: agent.outputSchema,
    jobReference: input.jobReference ?? null,
    callAt: isPushed && !isAwaiting ? after(tx.now, CALL_LEASE) : null,
    deadlineAt: after(tx.now, isAwaiting ? APPROVAL_TIME : FETCH_TIME),
  }
  tx.write(insertRun(run))
  tx.write(sql`${startLine(run, ctx)}`)
  await publish(tx, isAwaiting ? runAwaitsApproval : runCreated, eventOf(run))
  if (run.callAt) await enqueueCall(tx, services, run)
  return { execution: runView(run, 'buyer'), paymentTransaction: held && runDeals.runTransaction(held) }
}

const newRun = (now: Date) => ({
  paymentDueAt: null,
  output: null,
  errorCode: null,
  errorMessage: null,
  attempts: 0,
  takenAt: null,
  startedAt: null,
  endedAt: null,
  createdAt: now,
  updatedAt: now,
})

const startLine = (run: Run, ctx: RequestContext) =>
  insertHistory('runs_run', [
    {
      id: newId(),
      subjectId: run.id,
      event: 'execute',
      fromStatus: '',
      toStatus: run.status,
      actor: 'buyer',
      actorId: boundAgent(ctx.principal) ?? ctx.principal.accountId,
      details: {},
      at: run.createdAt,
    },
  ])

/** A deletion that runs at the same time either waits, or has happened. */
async function requireAccounts(tx: Tx, ctx: RequestContext, agent: Agent): Promise<void> {
  const { accountId } = ctx.principal
  const status = await erasure.lockAgainstDeletion(tx, [accountId, agent.ownerId])
  if (status.get(accountId) === 'DELETED')
    throw apiError(COMMON.UNAUTHORIZED, { hint: 'The account has been deleted' })
  if (status.get(agent.ownerId) === 'DELETED') requireTradable({ status: 'ARCHIVED' })
}

/** The agent that buys: the named one, that of the key, or that whose wallet pays. */
async function buyingAgent(
  tx: Tx,
  ctx: RequestContext,
  { initiatorAgentId, sourceWalletId }: ExecuteInput,
): Promise<Agent | null> {
  const named = initiatorAgentId ?? boundAgent(ctx.principal) ?? undefined
  const source = sourceWalletId === undefined ? null : await requireOwnWallet(tx, ctx, sourceWalletId)
  const paying = source?.ownerType === 'AGENT' ? source.ownerId : undefined
  if (named !== undefined && paying !== undefined && named !== paying)
    throw apiError(COMMON.FORBIDDEN, { hint: 'The wallet belongs to another agent than the one that buys' })
  const id = named ?? paying
  if (id === undefined) return null
  if (named !== undefined) return requireAgent(tx, ctx, id)
  return (await agentById(tx, id)) ?? null
}

function requireBuyingAgent(ctx: RequestContext, buyerAgent: Agent, agent: Agent): void {
  if (!isOwner(ctx, buyerAgent))
    throw apiError(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent spends its money' })
  if (buyerAgent.id === agent.id) throw invalid('an agent cannot run itself')
  requireTradable(buyerAgent)
}
