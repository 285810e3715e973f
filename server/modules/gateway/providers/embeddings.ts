import type { Model, TokenUsage } from '../core/model.ts'
import { malformed } from './body.ts'
import { dialectOf } from './openai-chat/index.ts'
import { countOf, recordOf } from './usage.ts'

/** The embeddings API of OpenAI. */
export const embeddings = {
  path: '/embeddings',
  headers: (key: string) => ({ authorization: `Bearer ${key}` }),
  request(model: Model, { user, ...body }: Record<string, unknown>): Record<string, unknown> {
    // A hint, and as in chat completions Google refuses keys that it does not know.
    const own = user === undefined || dialectOf(model.provider).drops.includes('user') ? {} : { user }
    return { ...body, ...own, model: model.id }
  },
  answer(
    body: Record<string, unknown>,
    model: Model,
  ): { body: Record<string, unknown>; usage: TokenUsage | null } {
    if (!Array.isArray(body.data) || !body.data.length) throw malformed()
    const input = countOf(recordOf(body.usage).prompt_tokens) || countOf(recordOf(body.usage).total_tokens)
    const usage = { input, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
    return { body: { ...body, model: model.id }, usage: input ? usage : null }
  },
}
