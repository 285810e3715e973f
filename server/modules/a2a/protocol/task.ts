import { dealTasks } from '#ap2'
import type { Queryable } from '#platform/kernel/db'
import type { RequestContext } from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import { RPC, RpcError } from './rpc.ts'
import * as statements from './sql.ts'
import type { TaskRow } from './sql.ts'

type TaskState = 'submitted' | 'working' | 'input-required' | 'completed' | 'canceled' | 'failed' | 'rejected'

export interface Artifact {
  artifactId: string
  name: string
  parts: object[]
}
export interface TaskStatus {
  state: TaskState
  timestamp: string
  message: object
}
/** A Task of A2A 0.3. */
export interface Task {
  kind: 'task'
  id: string
  contextId: string
  status: TaskStatus
  artifacts: Artifact[]
  history: object[]
  metadata: Record<string, unknown>
}

/** The task does not go on by itself: it ended, or waits for the user. */
export const isAtRest = ({ status: { state } }: Task): boolean => state !== 'submitted' && state !== 'working'

const EXPLANATIONS: Record<TaskState, string> = {
  submitted: 'The price is held in escrow. The agent has not started yet.',
  working: 'The agent works on it.',
  'input-required':
    'The work was delivered and verified. Send a message to this task with metadata.action "release" to pay the agent, or ' +
    '"changes" with what to improve. Without an answer the agent is paid automatically.',
  completed: 'The agent was paid.',
  canceled: 'The order was taken back, and the price returned.',
  failed: 'The deal ended without a payment for the agent, and the price returned.',
  rejected: 'The agent rejected the deal.',
}

/** While the money may not move, which the states of A2A do not show. */
const PAUSES: Partial<Record<string, string>> = {
  DISPUTED: 'The deal is disputed: nothing is paid or returned until the dispute ends.',
  FROZEN:
    'The price is frozen: nothing is paid or returned until an operator or a new key of the agent ends that.',
}

function stateOf({ negotiation: { status }, isCanceled }: dealTasks.TaskDeal): TaskState {
  switch (status) {
    case 'IN_PROGRESS':
      return 'working'
    case 'DELIVERED':
      return 'input-required'
    case 'COMPLETED':
    case 'SPLIT':
      return 'completed'
    case 'REFUNDED':
      return isCanceled ? 'canceled' : 'failed'
    case 'REJECTED':
      return 'rejected'
    case 'CANCELLED':
      return 'canceled'
    case 'EXPIRED':
      return 'failed'
    default:
      return 'submitted'
  }
}

interface Asked {
  id: string
  agentId: string | null
}

/** The deal of a task of the caller. `TaskNotFound` for an unknown one and for that of another account. */
export async function readDealOfTask(q: Queryable, ctx: RequestContext, { id, agentId }: Asked) {
  const row = isId(id) ? await q.maybe(statements.taskById(id)) : undefined
  const isOfAgent = row && (agentId === null || row.agentId === agentId)
  const deal = isOfAgent ? await dealTasks.readTaskDeal(q, ctx, id) : null
  if (!row || !deal) throw new RpcError(RPC.TASK_NOT_FOUND, 'Task not found')
  return { row, deal }
}

interface Shown {
  historyLength?: number
  publicUrl: string
}

/** The task as its buyer sees it. */
export async function readTask(q: Queryable, ctx: RequestContext, asked: Asked & Shown): Promise<Task> {
  const { row, deal } = await readDealOfTask(q, ctx, asked)
  return taskOf(row, deal, asked)
}

function taskOf(row: TaskRow, deal: dealTasks.TaskDeal, { historyLength = 1, publicUrl }: Shown): Task {
  const { negotiation, escrow, delivery, autoReleaseAt } = deal
  const state = stateOf(deal)
  const { negotiationId: id, contextId } = row
  const pause = escrow && PAUSES[escrow.status] ? escrow.status : null
  const message = { taskId: id, contextId, kind: 'message' }
  const sent = { ...message, role: 'user', messageId: row.messageId, parts: row.parts ?? [] }
  return {
    kind: 'task',
    id,
    contextId,
    status: {
      state,
      timestamp: new Date(Math.max(+negotiation.updatedAt, +(escrow?.updatedAt ?? 0))).toISOString(),
      message: {
        ...message,
        role: 'agent',
        messageId: `${id}-${pause?.toLowerCase() ?? state}`,
        parts: [{ kind: 'text', text: (pause && PAUSES[pause]) ?? EXPLANATIONS[state] }],
      },
    },
    artifacts: delivery ? [artifactOf(delivery, publicUrl)] : [],
    history: historyLength > 0 ? [sent] : [],
    metadata: {
      agentId: row.agentId,
      negotiationId: id,
      escrowId: escrow?.id ?? null,
      escrowStatus: escrow?.status ?? null,
      dealStatus: negotiation.status,
      price: formatMoney(negotiation.price),
      currency: negotiation.currency,
      autoReleaseAt: autoReleaseAt?.toISOString() ?? null,
    },
  }
}

/** What was delivered: the result, the page, and each file by its address, which may be one of the vault. */
function artifactOf(delivery: NonNullable<dealTasks.TaskDeal['delivery']>, publicUrl: string): Artifact {
  const { result, deliverableUrl, artifacts, notes } = delivery
  const parts: object[] = []
  if (typeof result === 'string') parts.push({ kind: 'text', text: result })
  else if (result !== null && result !== undefined)
    parts.push({
      kind: 'data',
      data: typeof result === 'object' && !Array.isArray(result) ? result : { result },
    })
  if (deliverableUrl) parts.push({ kind: 'file', file: { uri: deliverableUrl } })
  for (const { name, url, vaultId, mimeType } of artifacts ?? []) {
    const uri = vaultId === undefined ? url : `${publicUrl}/vault/${vaultId}/content`
    parts.push(
      uri
        ? { kind: 'file', file: { uri, name, ...(mimeType ? { mimeType } : {}) } }
        : { kind: 'data', data: { artifact: name } },
    )
  }
  if (notes) parts.push({ kind: 'text', text: notes })
  return { artifactId: delivery.id, name: `Delivery ${delivery.attempt}`, parts }
}
