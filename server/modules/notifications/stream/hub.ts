import { requireAgent } from '#agents'
import { serviceAccounts } from '#identity'
import { MINUTE } from '#platform/kernel/clock'
import { apiError, COMMON } from '#platform/kernel/errors'
import type { Principal, RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { eventsAfter, lastEventId, type EventRow, type Position } from '../events/sql.ts'

/** Reads the events of one agent as long as its request lasts. */
export interface Reader extends Position {
  readonly ctx: RequestContext
  readonly principal: Principal
  /** False while the client takes nothing. */
  isReady(): boolean
  deliver(events: readonly EventRow[]): void
  /** `revoked` if the credential or the access to the agent ended. */
  end(reason: 'stopped' | 'revoked'): void
}

const READERS_MAX = 5000
const READERS_OF_AGENT_MAX = 20
const BATCH = 100
/** An access token is valid for 15 minutes, and so is what it opened. */
const SESSION_MS = 15 * MINUTE
const ACCESS_CHECK_MS = MINUTE

interface Entry {
  reader: Reader
  openedAt: number
  checkedAt: number
}

/** All streams and waiting requests of this process. They share one statement for events and one for credentials. */
export class EventHub {
  readonly #services: Pick<Services, 'db' | 'clock'>
  readonly #entries = new Map<Reader, Entry>()
  #isClosed = false

  constructor(services: Pick<Services, 'db' | 'clock'>) {
    this.#services = services
  }

  /** The position behind the newest event: from there a reader sees what is new. */
  async newest(): Promise<bigint> {
    return (await this.#services.db.one(lastEventId())).id
  }

  /** 429 for too many readers of one agent, 503 for too many at all. */
  add(reader: Reader): void {
    const { size } = this.#entries
    const ofAgent = [...this.#entries.keys()].filter(({ agentId }) => agentId === reader.agentId).length
    if (this.#isClosed || size >= READERS_MAX)
      throw apiError(COMMON.UNAVAILABLE, {
        hint: 'Connect again in a moment',
        headers: { 'Retry-After': '5' },
      })
    if (ofAgent >= READERS_OF_AGENT_MAX)
      throw apiError(COMMON.RATE_LIMITED, {
        hint: `At most ${READERS_OF_AGENT_MAX} streams for each agent`,
        headers: { 'Retry-After': '5' },
      })
    const now = Date.now()
    this.#entries.set(reader, { reader, openedAt: now, checkedAt: now })
  }

  remove(reader: Reader): void {
    this.#entries.delete(reader)
  }

  /** Sends what is new, and ends readers whose credential ended. */
  async round(): Promise<void> {
    if (!this.#entries.size) return
    await this.#endRevoked()
    const ready = [...this.#entries.keys()].filter(reader => reader.isReady())
    if (!ready.length) return
    const rows = await this.#services.db.rows(eventsAfter(ready, BATCH))
    const byPlace = Map.groupBy(rows, ({ place }) => place)
    ready.forEach((reader, index) => {
      const events = byPlace.get(index + 1)
      if (!events || !this.#entries.has(reader)) return
      reader.after = events.at(-1)?.id ?? reader.after
      reader.deliver(events)
    })
  }

  /** Ends every reader; a new one is refused. */
  close(): void {
    this.#isClosed = true
    for (const reader of this.#entries.keys()) this.#end(reader, 'stopped')
  }

  async #endRevoked(): Promise<void> {
    const { db, clock } = this.#services
    const now = Date.now()
    const readers = [...this.#entries.keys()]
    for (const reader of await serviceAccounts.withEndedCredential(db, readers, clock.now()))
      this.#end(reader, 'revoked')
    for (const entry of this.#entries.values()) {
      const { reader, openedAt, checkedAt } = entry
      if (reader.principal.via === 'session' && now - openedAt > SESSION_MS) this.#end(reader, 'revoked')
      else if (now - checkedAt > ACCESS_CHECK_MS) {
        entry.checkedAt = now
        await requireAgent(db, reader.ctx, reader.agentId).catch(() => this.#end(reader, 'revoked'))
      }
    }
  }

  #end(reader: Reader, reason: 'stopped' | 'revoked'): void {
    this.#entries.delete(reader)
    reader.end(reason)
  }
}
