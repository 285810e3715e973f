import { ledgerErrors } from '#ledger'
import { ApiError, apiError, envelope, ValidationError } from '#platform/kernel/errors'

/** Error codes of JSON-RPC 2.0 and of A2A 0.3. */
export const RPC = {
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  REFUSED: -32000,
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  NO_EXTENDED_CARD: -32007,
} as const

export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

export type RpcId = string | number | null

export interface RpcAnswer {
  jsonrpc: '2.0'
  id: RpcId
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

export const resultOf = (id: RpcId, result: unknown): RpcAnswer => ({ jsonrpc: '2.0', id, result })

export const errorOf = (id: RpcId, { code, message, data }: RpcError): RpcAnswer => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
})

/**
 * A refusal as JSON-RPC has it; `data` is the error envelope of every other operation. What is no refusal, such as an
 * unavailable database, is thrown again.
 */
export function asRpcError(thrown: unknown, code?: number): RpcError {
  if (thrown instanceof RpcError) return thrown
  const error = ledgerErrors.isInsufficientBalance(thrown)
    ? apiError(ledgerErrors.LEDGER.INSUFFICIENT_BALANCE)
    : thrown
  if (!(error instanceof ApiError) || error.row.status >= 500) throw thrown
  const messages = error instanceof ValidationError ? error.messages : undefined
  const data = envelope(error.row, error.extra, messages)
  const general = error.row.status === 400 ? RPC.INVALID_PARAMS : RPC.REFUSED
  return new RpcError(code ?? general, messages?.join('; ') ?? error.row.message, data)
}
