import { limitJsonSize } from '#ap2'
import { isRecord } from '#platform/kernel/unknown'
import { RPC, RpcError } from './rpc.ts'

/** A message of the user, as the protocol has it; its parts are passed to the agent unchanged. */
export interface UserMessage {
  messageId: string
  parts: readonly object[]
  taskId: string | null
  contextId: string | null
  metadata: Record<string, unknown>
}

export interface SendParams {
  message: UserMessage
  /** Wait for the task to end or to need the user. */
  blocking: boolean
  historyLength: number
}

const refuse = (text: string) => new RpcError(RPC.INVALID_PARAMS, text)
const ID_MAX = 200
const PARTS_MAX = 50

export const recordOf = (value: unknown, name: string): Record<string, unknown> => {
  if (isRecord(value) && !Array.isArray(value)) return value
  throw refuse(`${name} must be an object`)
}
const optionalRecord = (value: unknown, name: string) =>
  value === undefined || value === null ? {} : recordOf(value, name)

export function idOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= ID_MAX) return value
  throw refuse(`${name} must be a string of 1 to ${ID_MAX} characters`)
}
const optionalId = (value: unknown, name: string) =>
  value === undefined || value === null || value === '' ? null : idOf(value, name)

/** Throws an RpcError for params that are not those of `message/send`. */
export function sendParamsOf(params: unknown): SendParams {
  const given = recordOf(params, 'params')
  const message = recordOf(given.message, 'params.message')
  if (message.role !== 'user') throw refuse('params.message.role must be "user"')
  const configuration = optionalRecord(given.configuration, 'params.configuration')
  if (configuration.pushNotificationConfig !== undefined && configuration.pushNotificationConfig !== null)
    throw new RpcError(RPC.PUSH_NOT_SUPPORTED, 'Push notifications are not supported')
  return {
    message: {
      messageId: idOf(message.messageId, 'params.message.messageId'),
      parts: partsOf(message.parts),
      taskId: optionalId(message.taskId, 'params.message.taskId'),
      contextId: optionalId(message.contextId, 'params.message.contextId'),
      // Those of the request win.
      metadata: {
        ...optionalRecord(message.metadata, 'params.message.metadata'),
        ...optionalRecord(given.metadata, 'params.metadata'),
      },
    },
    blocking: configuration.blocking === true,
    historyLength: historyLengthOf(configuration.historyLength),
  }
}

/** All of the history unless `historyLength` says 0: it has one message. */
export function historyLengthOf(value: unknown): number {
  if (value === undefined || value === null) return 1
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  throw refuse('historyLength must be an integer of at least 0')
}

function partsOf(value: unknown): object[] {
  if (!Array.isArray(value) || !value.length || value.length > PARTS_MAX)
    throw refuse(`params.message.parts must have 1 to ${PARTS_MAX} parts`)
  const parts: object[] = value.map((part: unknown, index) => partOf(part, `params.message.parts[${index}]`))
  limitJsonSize(parts, 'params.message.parts')
  return parts
}

function partOf(value: unknown, name: string): object {
  const part = recordOf(value, name)
  if (part.kind === 'text' && typeof part.text === 'string') return part
  if (part.kind === 'data' && isRecord(part.data)) return part
  if (part.kind === 'file' && isRecord(part.file)) return part
  throw refuse(`${name} must be of the kind text, data or file, with the field of that name`)
}

/** The text parts of a message, each on a line of its own. */
export const textOf = ({ parts }: Pick<UserMessage, 'parts'>): string =>
  parts
    .flatMap(part => ('text' in part && typeof part.text === 'string' ? part.text.trim() : []))
    .filter(Boolean)
    .join('\n')
