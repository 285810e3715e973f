import { serviceAccounts } from '#identity'
import { MINUTE } from '#platform/kernel/clock'
import { ApiError, apiError, COMMON } from '#platform/kernel/errors'
import type { Principal, RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'

/** Reads the events of one subject, an agent or an account, as long as its request lasts. */
export interface Reader<Row> {
  readonly ctx: RequestContext
  readonly principal: Principal
  readonly subjectId: string
  /** Id of the last event that was sent. */
  after: bigint
  /** False while the client takes nothing. */
  isReady(): boolean
  deliver(events: readonly Row[]): void
  /** `revoked` if the credential or the access to the subject ended; `stopped` if the client may connect again. */
  end(reason: 'stopped' | 'revoked'): void
}

/** The events that a hub sends, and who may read them. */
export interface Feed<Row, Subject> {
  /** For the error message: what a reader is of. */
  name: string
  newest(): Promise<bigint>
  /** The next events of several readers; `place` is that of the reader, from 1. */
  eventsAfter(
    readers: readonly (Reader<Row> & Subject)[],
    limit: number,
  ): Promise<(Row & { place: number })[]>
  /** Throws an ApiError if the reader has lost its access, any other error if that is not known. */
  requireAccess(reader: Reader<Row> & Subject): Promise<void>
}

const READERS_MAX = 5000
const READERS_OF_SUBJECT_MAX = 20
/** An account may have any number of agents: it must not take the places of all others. */
const READERS_OF_ACCOUNT_MAX = 1000
const BATCH = 100
/** An access token is valid for 15 minutes, and so is what it opened. */
const SESSION_MS = 15 * MINUTE
const ACCESS_CHECK_MS = MINUTE

const tooMany = (most: number, name: string): ApiError =>
  apiError(COMMON.RATE_LIMITED, {
    hint: `At most ${most} streams for each ${name}`,
    headers: { 'Retry-After': '5' },
  })

interface Entry {
  openedAt: number
  checkedAt: number
}

/** All streams and waiting requests of this process. They share one statement for events and one for credentials. */
export class EventHub<Row extends { id: bigint }, Subject extends object = object> {
  readonly #services: Pick<Services, 'db' | 'clock'>
  readonly #feed: Feed<Row, Subject>
  readonly #entries = new Map<Reader<Row> & Subject, Entry>()
  #isClosed = false

  constructor(services: Pick<Services, 'db' | 'clock'>, feed: Feed<Row, Subject>) {
    this.#services = services
    this.#feed = feed
  }

  /** The position behind the newest event: from there a reader sees what is new. */
  newest(): Promise<bigint> {
    return this.#feed.newest()
  }

  /** 429 for too many readers of one subject or account, 503 for too many at all. */
  add(reader: Reader<Row> & Subject): void {
    const { size } = this.#entries
    const { accountId } = reader.principal
    let ofSubject = 0
    let ofAccount = 0
    for (const { subjectId, principal } of this.#entries.keys()) {
      if (subjectId === reader.subjectId) ofSubject++
      if (principal.accountId === accountId) ofAccount++
    }
    if (this.#isClosed || size >= READERS_MAX)
      throw apiError(COMMON.UNAVAILABLE, {
        hint: 'Connect again in a moment',
        headers: { 'Retry-After': '5' },
      })
    if (ofSubject >= READERS_OF_SUBJECT_MAX) throw tooMany(READERS_OF_SUBJECT_MAX, this.#feed.name)
    if (ofAccount >= READERS_OF_ACCOUNT_MAX) throw tooMany(READERS_OF_ACCOUNT_MAX, 'account')
    const now = performance.now()
    this.#entries.set(reader, { openedAt: now, checkedAt: now })
  }

  remove(reader: Reader<Row> & Subject): void {
    this.#entries.delete(reader)
  }

  /** Sends what is new, and ends readers whose credential ended. */
  async round(): Promise<void> {
    if (!this.#entries.size) return
    await this.#endRevoked()
    const ready = [...this.#entries.keys()].filter(reader => reader.isReady())
    if (!ready.length) return
    const rows = await this.#feed.eventsAfter(ready, BATCH)
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
    const now = performance.now()
    const readers = [...this.#entries.keys()]
    for (const reader of await serviceAccounts.withEndedCredential(db, readers, clock.now()))
      this.#end(reader, 'revoked')
    for (const [reader, entry] of this.#entries) {
      if (reader.principal.via === 'session' && now - entry.openedAt > SESSION_MS)
        this.#end(reader, 'revoked')
      else if (now - entry.checkedAt > ACCESS_CHECK_MS) {
        entry.checkedAt = now
        await this.#requireAccess(reader)
      }
    }
  }

  /** Without an answer the reader ends too, but it may come back: the next request checks its access. Throws the error. */
  async #requireAccess(reader: Reader<Row> & Subject): Promise<void> {
    try {
      await this.#feed.requireAccess(reader)
    } catch (error) {
      const isRefused = error instanceof ApiError
      this.#end(reader, isRefused ? 'revoked' : 'stopped')
      if (!isRefused) throw error
    }
  }

  #end(reader: Reader<Row> & Subject, reason: 'stopped' | 'revoked'): void {
    this.#entries.delete(reader)
    reader.end(reason)
  }
}
