import { errorTable } from '#platform/kernel/errors'

/** Refusals of the selection. In OpenAI's error object the code is in lower case. */
export const ROUTING = errorTable({
  MODEL_NOT_FOUND: [404, 'Model not found'],
  UNSUPPORTED_PARAMETER: [400, 'Unsupported parameter'],
  CONTEXT_LENGTH_EXCEEDED: [400, 'Context length exceeded'],
  MODEL_NOT_ALLOWED: [403, 'Model not allowed'],
  MAX_PRICE_EXCEEDED: [403, 'Maximum price exceeded'],
  NO_MODEL_AVAILABLE: [503, 'No model available'],
})
