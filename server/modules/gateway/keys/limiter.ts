import { COMMON, apiError, type ApiError } from '#platform/kernel/errors'
import type { Admission, KeyLimiter, RoutingKey } from '../core/key.ts'
import { MinuteWindow } from './window.ts'

/** What one key uses at present. */
interface Use {
  requests: MinuteWindow
  tokens: MinuteWindow
  running: number
  /** The second of the last request. */
  last: number
}

interface Excess {
  hint: string
  retryAfterSeconds: number
  /** No time helps. */
  isFinal?: boolean
}

/** Longer than a request counts: the counts of a key that is unused for so long are dropped. */
const IDLE_SECONDS = 120

/**
 * Counts the requests and tokens of each key in memory, so the limits hold for each instance by itself. An account has
 * `accountParallel` requests at the same time with all its keys: a client that reads slowly keeps connections to a provider,
 * which has a limited number for all accounts. `monotonicMs` is a clock that never goes back.
 */
export function createKeyLimiter(
  accountParallel: number,
  monotonicMs: () => number = () => performance.now(),
): KeyLimiter {
  const places = new Places(accountParallel)
  const limits = keyLimits(monotonicMs)
  return {
    enter(key, prompt) {
      const free = places.take(key.accountId)
      try {
        const { headers, leave } = limits.enter(key, prompt)
        return {
          headers,
          leave(tokens) {
            free()
            leave(tokens)
          },
        }
      } catch (error) {
        free()
        throw error
      }
    },
  }
}

/** The requests under way of each account. */
class Places {
  readonly #most: number
  readonly #taken = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Returns what frees the place; only its first call counts. ApiError 429 if none is left. */
  take(accountId: string): () => void {
    const taken = this.#taken.get(accountId) ?? 0
    if (taken >= this.#most)
      throw limitExceeded(
        {
          hint: `Your account has ${taken} requests under way, which is the most here`,
          retryAfterSeconds: 1,
        },
        {},
      )
    this.#taken.set(accountId, taken + 1)
    let isFree = false
    return () => {
      if (isFree) return
      isFree = true
      const left = (this.#taken.get(accountId) ?? 1) - 1
      if (left) this.#taken.set(accountId, left)
      else this.#taken.delete(accountId)
    }
  }
}

const UNLIMITED: Admission = { headers: {}, leave: () => undefined }

function keyLimits(monotonicMs: () => number): KeyLimiter {
  const uses = new Map<string, Use>()
  let sweepAt = 0
  const sweep = (second: number) => {
    if (second < sweepAt) return
    sweepAt = second + IDLE_SECONDS
    for (const [id, { running, last }] of uses) if (!running && last < second - IDLE_SECONDS) uses.delete(id)
  }
  return {
    enter(key, prompt) {
      const { rpm, tpm, parallel } = key.limits
      if (rpm === null && tpm === null && parallel === null) return UNLIMITED
      const promptTokens = prompt.tokens
      const second = Math.floor(monotonicMs() / 1000)
      sweep(second)
      const use = uses.get(key.id) ?? newUse()
      const excess = excessOf(use, key, { second, promptTokens })
      if (excess) throw limitExceeded(excess, headersOf(use, key, second))
      uses.set(key.id, use)
      use.requests.add(second, 1)
      use.tokens.add(second, promptTokens)
      use.running++
      use.last = second
      const headers = headersOf(use, key, second)
      let isOver = false
      const leave = (tokens: number) => {
        if (isOver) return
        isOver = true
        use.running--
        const now = Math.floor(monotonicMs() / 1000)
        // What the answer took counts when it is known, what was reserved in excess counts no more.
        if (tokens < promptTokens) use.tokens.add(second, tokens - promptTokens)
        else use.tokens.add(now, tokens - promptTokens)
      }
      return { headers, leave }
    },
  }
}

const newUse = (): Use => ({
  requests: new MinuteWindow(),
  tokens: new MinuteWindow(),
  running: 0,
  last: 0,
})

function excessOf(
  { requests, tokens, running }: Use,
  { limits: { rpm, tpm, parallel } }: RoutingKey,
  { second, promptTokens }: { second: number; promptTokens: number },
): Excess | null {
  if (parallel !== null && running >= parallel)
    return { hint: `The key allows ${parallel} requests at the same time`, retryAfterSeconds: 1 }
  const made = requests.total(second)
  if (rpm !== null && made >= rpm)
    return {
      hint: `The key allows ${rpm} requests in a minute`,
      retryAfterSeconds: requests.secondsUntilLess(made - rpm + 1),
    }
  const used = tokens.total(second)
  if (tpm === null || used + promptTokens <= tpm) return null
  const retryAfterSeconds = tokens.secondsUntilLess(used + promptTokens - tpm)
  if (promptTokens <= tpm) return { hint: `The key allows ${tpm} tokens in a minute`, retryAfterSeconds }
  const hint = `The prompt has ${promptTokens} tokens, and the key allows ${tpm} in a minute: send less`
  return { hint, retryAfterSeconds, isFinal: true }
}

const limitExceeded = (
  { hint, retryAfterSeconds, isFinal }: Excess,
  headers: Readonly<Record<string, string>>,
): ApiError =>
  apiError(COMMON.RATE_LIMITED, {
    hint: isFinal ? hint : `${hint}. Try again in ${retryAfterSeconds} s`,
    headers: {
      ...headers,
      'Retry-After': String(retryAfterSeconds),
      ...(isFinal ? { 'x-should-retry': 'false' } : {}),
    },
  })

/** The headers by which the clients of OpenAI pace themselves, for the limits that the key has. */
function headersOf(use: Use, { limits }: RoutingKey, second: number): Record<string, string> {
  const { rpm, tpm } = limits
  return {
    ...(rpm === null ? {} : windowHeaders('requests', rpm, use.requests, second)),
    ...(tpm === null ? {} : windowHeaders('tokens', tpm, use.tokens, second)),
  }
}

const windowHeaders = (unit: 'requests' | 'tokens', limit: number, window: MinuteWindow, second: number) => ({
  [`x-ratelimit-limit-${unit}`]: String(limit),
  [`x-ratelimit-remaining-${unit}`]: String(Math.max(0, limit - window.total(second))),
  [`x-ratelimit-reset-${unit}`]: durationOf(window.secondsUntilEmpty()),
})

/** As OpenAI writes it: `6s`, `1m1s`. */
const durationOf = (seconds: number): string =>
  seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
