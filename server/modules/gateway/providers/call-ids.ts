import { createHash } from 'node:crypto'

/**
 * Ids of tool calls that an API accepts. A conversation may have begun at another provider, whose ids have another form: such
 * an id is replaced by one that depends on it alone, so that a call and its result still belong together.
 */
const accepting =
  (accepted: RegExp, replace: (digest: string) => string) =>
  (id: string): string =>
    accepted.test(id) ? id : replace(createHash('sha256').update(id).digest('hex'))

const openaiId = (digest: string): string => `call_${digest.slice(0, 24)}`

export const callIds = {
  anthropic: accepting(/^[\w-]{1,64}$/, digest => `toolu_${digest.slice(0, 24)}`),
  mistral: accepting(/^[a-zA-Z0-9]{9}$/, digest => digest.slice(0, 9)),
  openaiChat: accepting(/^[^]{1,40}$/, openaiId),
  openaiResponses: accepting(/^[^]{1,64}$/, openaiId),
}
