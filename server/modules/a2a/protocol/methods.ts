import type { Readable } from 'node:stream'
import { dealTasks } from '#ap2'
import type { Db } from '#platform/kernel/db'
import type { RequestContext } from '#platform/http/principal'
import { idIn } from '#platform/http/rpc-errors'
import { isRecord } from '#platform/kernel/unknown'
import type { TaskFollower } from './follow.ts'
import { historyLengthOf, idOf, recordOf, sendParamsOf, type SendParams } from './message.ts'
import { asRpcError, errorOf, resultOf, RPC, RpcError, type RpcAnswer, type RpcId } from './rpc.ts'
import { sendMessage } from './send.ts'
import { taskStream } from './stream.ts'
import { readTask, type Task } from './task.ts'

export interface Endpoint {
  db: Db
  publicUrl: string
  follower: TaskFollower
  rules: dealTasks.Rules
  /** Null at the service's own address. */
  agentId: string | null
  /** Aborts when the client closes the connection. Called before the message is acted on: it misses what was before. */
  closed(): AbortSignal
}

interface Call {
  id: RpcId
  params: unknown
}

type Method = (endpoint: Endpoint, ctx: RequestContext, call: Call) => Promise<RpcAnswer | Readable>

const unsupported =
  (code: number, text: string): Method =>
  () =>
    Promise.reject(new RpcError(code, text))
const noPush = unsupported(RPC.PUSH_NOT_SUPPORTED, 'Push notifications are not supported')

const METHODS = new Map<string, Method>([
  [
    'message/send',
    async (endpoint, ctx, { id, params }) => {
      const asked = sendParamsOf(params)
      if (!asked.blocking) return resultOf(id, await send(endpoint, ctx, asked))
      const { follower } = endpoint
      const freePlace = follower.takePlace(ctx)
      const closed = endpoint.closed()
      try {
        return resultOf(id, await follower.settled(ctx, await send(endpoint, ctx, asked), closed))
      } finally {
        freePlace()
      }
    },
  ],
  [
    'message/stream',
    async (endpoint, ctx, { id, params }) =>
      taskStream(endpoint.follower, ctx, { id, begin: () => send(endpoint, ctx, sendParamsOf(params)) }),
  ],
  [
    'tasks/resubscribe',
    async (endpoint, ctx, { id, params }) =>
      taskStream(endpoint.follower, ctx, { id, begin: () => read(endpoint, ctx, params) }),
  ],
  ['tasks/get', async (endpoint, ctx, { id, params }) => resultOf(id, await read(endpoint, ctx, params))],
  [
    'tasks/cancel',
    async (endpoint, ctx, { id, params }) => resultOf(id, await cancel(endpoint, ctx, params)),
  ],
  ['tasks/pushNotificationConfig/set', noPush],
  ['tasks/pushNotificationConfig/get', noPush],
  ['tasks/pushNotificationConfig/list', noPush],
  ['tasks/pushNotificationConfig/delete', noPush],
  [
    'agent/getAuthenticatedExtendedCard',
    unsupported(RPC.NO_EXTENDED_CARD, 'There is no extended card: the public one is complete'),
  ],
])

/** Answers one JSON-RPC call. A refusal is an answer with an error; what is no refusal is thrown. */
export async function answer(
  endpoint: Endpoint,
  ctx: RequestContext,
  request: unknown,
): Promise<RpcAnswer | Readable> {
  const call = isRecord(request) ? request : {}
  const id = idIn(call)
  try {
    if (call.jsonrpc !== '2.0' || typeof call.method !== 'string' || id === null)
      throw new RpcError(RPC.INVALID_REQUEST, 'Send jsonrpc "2.0", an id and a method')
    const method = METHODS.get(call.method)
    if (!method)
      throw new RpcError(
        RPC.METHOD_NOT_FOUND,
        `Method not found: ${call.method.slice(0, 100)}. This address speaks A2A 0.3, such as message/send`,
      )
    return await method(endpoint, ctx, { id, params: call.params })
  } catch (error) {
    return errorOf(id, asRpcError(error))
  }
}

async function send(endpoint: Endpoint, ctx: RequestContext, asked: SendParams): Promise<Task> {
  const { message, historyLength } = asked
  const { db, publicUrl, agentId } = endpoint
  const id = await sendMessage(db, ctx, message, endpoint)
  return readTask(db, ctx, { id, agentId, historyLength, publicUrl })
}

async function read(
  { db, publicUrl, agentId }: Endpoint,
  ctx: RequestContext,
  params: unknown,
): Promise<Task> {
  const { id, historyLength } = recordOf(params, 'params')
  const asked = {
    id: idOf(id, 'params.id'),
    agentId,
    historyLength: historyLengthOf(historyLength),
    publicUrl,
  }
  return db.snapshot(q => readTask(q, ctx, asked))
}

async function cancel(endpoint: Endpoint, ctx: RequestContext, params: unknown): Promise<Task> {
  const { id } = await read(endpoint, ctx, params)
  try {
    await endpoint.db.transaction(tx => dealTasks.cancelTask(tx, ctx, id))
  } catch (error) {
    throw asRpcError(error, RPC.TASK_NOT_CANCELABLE)
  }
  return read(endpoint, ctx, { id })
}
