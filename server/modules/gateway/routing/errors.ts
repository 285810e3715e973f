import { errorTable } from '#platform/kernel/errors'

/** Refusals of the selection only. In OpenAI's error object the code is in lower case. */
export const ROUTING = errorTable({
  MODEL_NOT_FOUND: [404, 'Model not found'],
  MODEL_NOT_ALLOWED: [403, 'Model not allowed'],
})
