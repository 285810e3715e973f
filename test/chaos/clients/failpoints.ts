import type { Journal } from '../journal.ts'

const ONLY_INCOMPLETE_MS = 1000

/**
 * Walks through the points of every operation: before each statement, around each commit. A request that is answered has
 * fewer points than its order names: then all of them were reached, and the operation begins again with the first.
 */
export class FailpointPlan {
  readonly #next = new Map<string, number>()
  readonly #journal: Journal
  /** When the order was given: for its first second it is for operations whose points are not all known. */
  #orderedAt = 0
  /** The connection broke at this point: it was reached if the server ended itself. */
  #broken: { operation: string; point: number } | undefined

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /** The next request that fits ends its server. */
  order(): void {
    this.#orderedAt ||= Date.now()
  }

  /** The point at which this request ends the server, if it is its turn. */
  take(operation: string): number | undefined {
    if (!this.#orderedAt) return undefined
    const isForAny = Date.now() - this.#orderedAt > ONLY_INCOMPLETE_MS
    if (!isForAny && this.#journal.complete.has(operation)) return undefined
    this.#orderedAt = 0
    return this.#next.get(operation) ?? 1
  }

  /** The request was answered: it has fewer points. */
  answered(operation: string, point: number): void {
    if (point > 1 && !this.#journal.complete.has(operation)) this.#journal.complete.set(operation, point - 1)
    this.#next.set(operation, 1)
  }

  broke(operation: string, point: number): void {
    this.#broken = { operation, point }
  }

  /** A server has ended itself. */
  reached(): void {
    if (!this.#broken) return
    const { operation, point } = this.#broken
    this.#broken = undefined
    const points = this.#journal.failpoints.get(operation) ?? new Set<number>()
    this.#journal.failpoints.set(operation, points.add(point))
    this.#next.set(operation, point + 1)
  }
}
