import { createHash } from 'node:crypto'
import { HOUR } from '#platform/kernel/clock'
import type { RouteInput } from '../core/routing.ts'
import { textOf } from './text.ts'

const MOST_CONVERSATIONS = 20_000
/** Of the first turns: enough to distinguish conversations. */
const MOST_CHARS = 2000

/**
 * The model of each conversation, in the memory of this instance: another instance may select another model. The oldest
 * conversation makes place for a new one.
 */
export class Conversations {
  readonly #models = new Map<string, { model: string; until: number }>()

  /** The model that the conversation was on in the hour before `now`. */
  modelOf(conversation: string, now: number): string | undefined {
    const entry = this.#models.get(conversation)
    if (!entry) return undefined
    if (entry.until > now) return entry.model
    this.#models.delete(conversation)
    return undefined
  }

  remember(conversation: string, model: string, now: number): void {
    this.#models.delete(conversation)
    this.#models.set(conversation, { model, until: now + HOUR })
    if (this.#models.size <= MOST_CONVERSATIONS) return
    for (const oldest of this.#models.keys()) {
      this.#models.delete(oldest)
      return
    }
  }
}

/**
 * What identifies the conversation of a request: the cache key or the end user that the caller names, else its first turns,
 * up to the first message of a person.
 */
export function conversationOf({ key, request }: RouteInput): string {
  const scope = `${key.accountId}\n${request.model}\n`
  if (typeof request.prompt_cache_key === 'string') return `${scope}k${shorten(request.prompt_cache_key)}`
  if (typeof request.user === 'string') return `${scope}u${shorten(request.user)}`
  const hash = createHash('sha1')
  for (const { role, content } of request.messages) {
    hash.update(`${role}:${textOf(content).slice(0, MOST_CHARS)}\n`)
    if (role === 'user') break
  }
  return `${scope}h${hash.digest('base64')}`
}

const shorten = (name: string): string =>
  name.length <= 100 ? name : createHash('sha1').update(name).digest('base64')
