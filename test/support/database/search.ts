/** Characters of a pattern that the search looks at in each place of a text; patterns have at least as many. */
const WINDOW = 10
const BASE = 31
/** BASE ** WINDOW, as a 32-bit number. */
const LEAVING = Array.from({ length: WINDOW }).reduce<number>(product => Math.imul(product, BASE), 1)
const SLOTS = 2 ** 20

/**
 * Returns a function that finds which of the patterns are in a text. It reads the text once, however many patterns there are
 * (Rabin-Karp): `text.includes` for each of thousands takes seconds.
 */
export function searchFor(patterns: readonly string[]): (text: string) => Set<string> {
  const slots = new Uint8Array(SLOTS)
  const byStart = Map.groupBy(new Set(patterns), pattern => pattern.slice(0, WINDOW))
  for (const start of byStart.keys()) {
    if (start.length < WINDOW)
      throw new Error(`a pattern has at least ${WINDOW} characters, not ${start.length}`)
    slots[slotOf(hashOf(start))] = 1
  }
  return text => {
    const found = new Set<string>()
    let hash = hashOf(text.slice(0, WINDOW))
    for (let at = 0; at + WINDOW <= text.length; at++) {
      if (slots[slotOf(hash)] === 1)
        for (const pattern of byStart.get(text.slice(at, at + WINDOW)) ?? [])
          if (text.startsWith(pattern, at)) found.add(pattern)
      const [left, next] = [text.charCodeAt(at), text.charCodeAt(at + WINDOW)]
      hash = (Math.imul(hash, BASE) + next - Math.imul(left, LEAVING)) | 0
    }
    return found
  }
}

const slotOf = (hash: number): number => (hash ^ (hash >>> 12)) & (SLOTS - 1)

function hashOf(start: string): number {
  let hash = 0
  for (let at = 0; at < start.length; at++) hash = (Math.imul(hash, BASE) + start.charCodeAt(at)) | 0
  return hash
}
