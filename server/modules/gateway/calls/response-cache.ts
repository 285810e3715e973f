import { createHash } from 'node:crypto'
import { SECOND } from '#platform/kernel/clock'
import type { ChatCompletion, ChatRequest } from '../core/chat.ts'
import type { RoutingKey } from '../core/key.ts'

/** What does not change the answer itself. */
const FORM = new Set(['stream', 'stream_options', 'user', 'metadata', 'store', 'safety_identifier'])

interface Entry {
  text: string
  storedAt: number
}

/** Answers to identical requests of one key, in memory; the longest unused leave when it is full. */
export class ResponseCache {
  readonly #capacity: number
  readonly #monotonicMs: () => number
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(capacityBytes: number, monotonicMs: () => number = () => performance.now()) {
    this.#capacity = capacityBytes
    this.#monotonicMs = monotonicMs
  }

  /** Null if the key does not ask for the cache. */
  nameOf(key: RoutingKey, request: ChatRequest): string | null {
    if (key.cacheSeconds <= 0 || this.#capacity === 0) return null
    const content = Object.entries(request)
      .filter(([name]) => !FORM.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
    return createHash('sha256')
      .update(`${key.id} ${JSON.stringify(content)}`)
      .digest('base64')
  }

  /** An answer that is at most as old as the key allows. */
  find(name: string, { cacheSeconds }: RoutingKey): ChatCompletion | null {
    const entry = this.#entries.get(name)
    if (!entry) return null
    this.#remove(name, entry)
    if (this.#monotonicMs() - entry.storedAt >= cacheSeconds * SECOND) return null
    this.#insert(name, entry)
    return JSON.parse(entry.text) as ChatCompletion
  }

  store(name: string, completion: ChatCompletion): void {
    const entry = { text: JSON.stringify(completion), storedAt: this.#monotonicMs() }
    const before = this.#entries.get(name)
    if (before) this.#remove(name, before)
    // One answer must not drive out all others.
    if (sizeOf(entry) > this.#capacity / 8) return
    this.#insert(name, entry)
    for (const [oldest, old] of this.#entries) {
      if (this.#bytes <= this.#capacity) return
      this.#remove(oldest, old)
    }
  }

  #insert(name: string, entry: Entry): void {
    this.#entries.set(name, entry)
    this.#bytes += sizeOf(entry)
  }

  #remove(name: string, entry: Entry): void {
    this.#entries.delete(name)
    this.#bytes -= sizeOf(entry)
  }
}

// Two bytes for each character at most, and what the map takes.
const sizeOf = ({ text }: Entry): number => text.length * 2 + 200
