import { agentById, agentBySlug, visibleAgent, type Agent } from '#agents'
import { dealTasks } from '#ap2'
import { IDENTITY } from '#identity'
import type { Db, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import type { UserMessage } from './message.ts'
import { idOf, textOf } from './message.ts'
import { RPC, RpcError } from './rpc.ts'
import * as statements from './sql.ts'
import { readDealOfTask } from './task.ts'

/** The longest text that a deal shows as its service; the whole message is in its requirements. */
const SERVICE_MAX = 5000
const refuse = (text: string) => new RpcError(RPC.INVALID_PARAMS, text)

/**
 * A new message hires the agent, paid from a wallet of the caller into escrow; a message to a task decides on what was
 * delivered. A repeated message does nothing again. Returns the id of the task.
 */
export async function sendMessage(
  db: Db,
  ctx: RequestContext,
  message: UserMessage,
  { agentId, rules }: { agentId: string | null; rules: dealTasks.Rules },
): Promise<string> {
  const { accountId } = ctx.principal
  const { taskId, messageId } = message
  return db.transaction(async tx => {
    await tx.run(statements.lockMessage(accountId, messageId))
    const earlier = await tx.maybe(statements.messageOf(accountId, messageId))
    if (earlier && earlier.negotiationId !== taskId)
      throw refuse('params.message.messageId was used for another task: use a new one for each message')
    if (earlier) return earlier.negotiationId
    if (taskId === null) return beginTask(tx, ctx, message, { agentId, rules })
    await continueTask(tx, ctx, { ...message, taskId }, agentId)
    await tx.run(statements.insertMessage({ accountId, messageId, negotiationId: taskId, createdAt: tx.now }))
    return taskId
  })
}

async function beginTask(
  tx: Tx,
  ctx: RequestContext,
  message: UserMessage,
  { agentId, rules }: { agentId: string | null; rules: dealTasks.Rules },
): Promise<string> {
  const { accountId } = ctx.principal
  const agent = await agentOf(tx, message.metadata, agentId)
  await visibleAgent(tx, ctx, { id: agent.id })
  const earlier = await tx.maybe(statements.taskOfMessage(accountId, message.messageId))
  if (earlier && earlier.agentId !== agent.id)
    throw refuse('params.message.messageId was used for another agent: use a new one for each message')
  if (earlier) return earlier.negotiationId
  const negotiationId = await dealTasks.hireFromWallet(tx, ctx, orderOf(agent, message), rules)
  await tx.run(
    statements.insertTask({
      negotiationId,
      agentId: agent.id,
      accountId,
      contextId: message.contextId ?? negotiationId,
      messageId: message.messageId,
      parts: message.parts,
      createdAt: tx.now,
    }),
  )
  return negotiationId
}

/** The agent of the address, or at the service's own address the one that the metadata names. */
async function agentOf(
  tx: Tx,
  { agentId, agentSlug }: Record<string, unknown>,
  fixed: string | null,
): Promise<Agent> {
  if (fixed === null && agentId === undefined && agentSlug === undefined)
    throw refuse('metadata.agentSlug or metadata.agentId is required: it names the agent to hire')
  const byId = fixed ?? (agentId === undefined ? null : idOf(agentId, 'metadata.agentId'))
  const agent =
    byId === null ? await agentBySlug(tx, idOf(agentSlug, 'metadata.agentSlug')) : await agentById(tx, byId)
  if (!agent) throw apiError(IDENTITY.AGENT_NOT_FOUND)
  return agent
}

function orderOf(agent: Agent, message: UserMessage): dealTasks.WalletHire {
  const { metadata, parts } = message
  const optional = (name: string) => {
    const value = metadata[name]
    return value === undefined || value === null ? {} : { [name]: idOf(value, `metadata.${name}`) }
  }
  return {
    agentId: agent.id,
    service: textOf(message).slice(0, SERVICE_MAX) || `Task of ${agent.name}`,
    input: { parts },
    ...priceOf(agent, metadata.budget),
    ...optional('requesterAgentId'),
    ...optional('sourceWalletId'),
  }
}

/** The listed price, if the budget allows it; without a listed price, the budget. */
function priceOf({ price, priceCurrency }: Agent, budget: unknown) {
  const isAmount = typeof budget === 'number' || typeof budget === 'string'
  if (budget !== undefined && budget !== null && !isAmount)
    throw refuse('metadata.budget must be a number or a decimal string')
  const limit = isAmount ? parseAmount(budget, { field: 'metadata.budget' }) : null
  if (price > 0n) {
    if (limit !== null && price > limit)
      throw refuse(`The agent costs ${formatMoney(price)} ${priceCurrency}, more than metadata.budget`)
    return { amount: formatMoney(price), currency: priceCurrency }
  }
  if (limit === null) throw refuse('metadata.budget is required: the agent has no listed price')
  return { amount: formatMoney(limit), currency: 'USD' as const }
}

/** Releases what was delivered, or asks for changes, as `metadata.action` says. */
async function continueTask(
  tx: Tx,
  ctx: RequestContext,
  message: UserMessage & { taskId: string },
  agentId: string | null,
): Promise<void> {
  const { row, deal } = await readDealOfTask(tx, ctx, { id: message.taskId, agentId })
  // A2A 1.0, 3.4.3: such a message must be refused. A2A 0.3 leaves it open.
  if (message.contextId !== null && message.contextId !== row.contextId)
    throw refuse('params.message.contextId is not that of the task: send the one of the task, or none')
  if (deal.negotiation.status !== 'DELIVERED')
    throw new RpcError(
      RPC.UNSUPPORTED_OPERATION,
      'The task takes no message now: it waits for the agent, or has ended',
    )
  switch (message.metadata.action) {
    case 'release':
      return dealTasks.releaseTask(tx, ctx, deal)
    case 'changes':
      return dealTasks.changeTask(tx, ctx, deal, textOf(message).slice(0, 2000) || 'Please improve it')
    default:
      throw refuse('metadata.action must be "release" or "changes": the work was delivered')
  }
}
