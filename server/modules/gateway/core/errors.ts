import { errorTable } from '#platform/kernel/errors'

/** Refusals that several parts of the gateway share. In OpenAI's error object the code is in lower case. */
export const GATEWAY = errorTable({
  UNSUPPORTED_PARAMETER: [400, 'Unsupported parameter'],
  MAX_PRICE_EXCEEDED: [403, 'Maximum price exceeded'],
  GENERATION_NOT_FOUND: [404, 'Generation not found'],
  NO_MODEL_AVAILABLE: [503, 'No model available'],
})
