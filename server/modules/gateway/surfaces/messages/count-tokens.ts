import type { CallParts, ModelAnswer, ModelRequest } from '../../calls/index.ts'
import { promptOf } from './request.ts'
import type { CountTokensBody } from './schema.ts'

/** Counts with the tokenizer of the gateway: an estimate. It costs nothing, but counts as a request of the key. */
export async function answerCount(
  { tokens, limiter }: Pick<CallParts, 'tokens' | 'limiter'>,
  { key, requestId, body }: ModelRequest<CountTokensBody>,
): Promise<ModelAnswer> {
  const admission = limiter.enter(key, { tokens: 0 })
  try {
    const counted = tokens.ofPrompt(promptOf(body))
    return { body: { input_tokens: counted }, headers: { ...admission.headers, 'request-id': requestId } }
  } finally {
    admission.leave(0)
  }
}
