import type { Movement } from '../processors/statement-port.ts'

/** What a line of a statement may name an object by: its id here, or the one at the processor. */
interface Named {
  id: string
  externalId: string | null
}

/** The lines of a statement by what they name, each read once however many objects there are. */
export class Lines {
  readonly #ours: ReadonlyMap<string | null, Movement[]>
  readonly #theirs: ReadonlyMap<string | null, Movement[]>

  constructor(lines: readonly Movement[]) {
    this.#ours = Map.groupBy(lines, ({ ourId }) => ourId)
    this.#theirs = Map.groupBy(lines, ({ sourceId }) => sourceId)
  }

  /** The lines that name an object, the oldest first. */
  of({ id, externalId }: Named): Movement[] {
    const ours = this.#ours.get(id) ?? []
    const theirs = externalId === null ? [] : (this.#theirs.get(externalId) ?? [])
    const others = theirs.filter(line => line.ourId !== id)
    return others.length ? [...ours, ...others].toSorted((a, b) => a.at.getTime() - b.at.getTime()) : ours
  }
}

/** The lines that name none of these objects. */
export function unknownAmong(lines: readonly Movement[], known: readonly Named[]): Movement[] {
  const ids = new Set<string | null>(known.map(({ id }) => id))
  const externalIds = new Set(known.flatMap(({ externalId }) => externalId ?? []))
  return lines.filter(
    ({ sourceId, ourId }) => !ids.has(ourId) && (sourceId === null || !externalIds.has(sourceId)),
  )
}
