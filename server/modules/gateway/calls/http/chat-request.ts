import { isRecord } from '#platform/kernel/unknown'
import { apiError } from '#platform/kernel/errors'
import type { ChatRequest } from '../../core/chat.ts'
import { GATEWAY } from '../../core/errors.ts'

/**
 * The body with its model; null stands for a parameter that is not set. Most bodies have nothing to be changed: they are not
 * copied. ApiError 400 for a budget of tokens to reason with.
 */
export function chatRequest(body: {
  model?: string
  messages: unknown[]
  reasoning?: unknown
  safety_identifier?: string | null
}): ChatRequest {
  const isWhole =
    typeof body.model === 'string' &&
    body.reasoning === undefined &&
    body.safety_identifier === undefined &&
    !Object.values<unknown>(body).includes(null)
  if (isWhole) return body as unknown as ChatRequest
  const { reasoning, ...present } = Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null),
  )
  // OpenAI's clients name it in the place of `user`, which is deprecated.
  const { safety_identifier: user } = present
  return {
    model: '',
    ...effortOf(reasoning),
    ...(user === undefined ? {} : { user }),
    ...present,
  } as unknown as ChatRequest
}

/** `reasoning` is a parameter of OpenRouter and of OpenAI's Responses: models read `reasoning_effort`, which wins. */
function effortOf(reasoning: unknown): Partial<ChatRequest> {
  if (!isRecord(reasoning)) return {}
  const { effort, enabled, max_tokens: budget, summary } = reasoning
  if (budget !== undefined && budget !== null)
    throw apiError(GATEWAY.UNSUPPORTED_PARAMETER, {
      hint: 'Thoughts have no limit of their own here: send reasoning_effort',
      details: { param: 'reasoning.max_tokens' },
    })
  const named = enabled === false ? 'none' : effort
  return {
    ...(typeof named === 'string' ? { reasoning_effort: named } : {}),
    ...(typeof summary === 'string' ? { reasoning: { summary } } : {}),
  }
}
