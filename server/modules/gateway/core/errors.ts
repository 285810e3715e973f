import { apiError, errorTable, type ApiError } from '#platform/kernel/errors'

/** Refusals that several parts of the gateway share. In OpenAI's error object the code is in lower case. */
export const GATEWAY = errorTable({
  UNSUPPORTED_PARAMETER: [400, 'Unsupported parameter'],
  CONTEXT_LENGTH_EXCEEDED: [400, 'Context length exceeded'],
  MAX_PRICE_EXCEEDED: [403, 'Maximum price exceeded'],
  GENERATION_NOT_FOUND: [404, 'Generation not found'],
  NO_MODEL_AVAILABLE: [503, 'No model available'],
})

/** Clients that shorten a conversation know these words: those of Anthropic the first four, LangChain "maximum context length". */
const TOO_LONG = 'The prompt is too long for the maximum context length of the model'

/** 400 for a prompt that does not fit, with the reason or what to do. */
export const contextExceeded = (text: string, cause?: unknown): ApiError =>
  apiError(GATEWAY.CONTEXT_LENGTH_EXCEEDED, {
    hint: `${TOO_LONG}${text}`,
    details: { param: 'messages' },
    cause,
  })
