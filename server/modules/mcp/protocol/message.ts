import { Type, type Static } from '#platform/http/type'
import { isRecord } from '#platform/kernel/unknown'
import type { Outcome, Reply } from './confirmations.ts'

const ID_MAX = 200

/** A message of JSON-RPC 2.0: a request, a notification, or the response to a question of the service. */
export const Message = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Type.Union([Type.String({ maxLength: ID_MAX }), Type.Integer()])),
  method: Type.Optional(Type.String({ maxLength: 200 })),
  params: Type.Optional(Type.Unknown()),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
})
export type Message = Static<typeof Message>

type Sender = Pick<Reply, 'accountId' | 'sessionId'>

/** What a message says about an earlier call; null for any other message. */
export function replyIn({ id, method, params, result }: Message, from: Sender): Reply | null {
  if (method === 'notifications/cancelled' && isRecord(params) && isIdOfCall(params.requestId))
    return { ...from, kind: 'cancel', requestId: keyOf(params.requestId) }
  if (method !== undefined || id === undefined) return null
  return { ...from, kind: 'answer', id: keyOf(id), outcome: outcomeIn(result) }
}

/** Any other id would also be too long for a NOTIFY, which takes 8000 bytes. */
const isIdOfCall = (id: unknown): boolean =>
  typeof id === 'string' ? id.length <= ID_MAX : Number.isInteger(id)

/** The id of a request as text; the number 1 and the text "1" are different ids. */
export const keyOf = (id: unknown): string => (typeof id === 'string' ? id : JSON.stringify(id ?? null))

// An error of the client counts as no answer.
function outcomeIn(result: unknown): Outcome {
  if (!isRecord(result) || result.action === 'cancel') return 'cancelled'
  const isYes = result.action === 'accept' && isRecord(result.content) && result.content.confirm === true
  return isYes ? 'accepted' : 'declined'
}
