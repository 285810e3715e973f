/** Measures of RouteLLM (APGR, CPT) and RouterBench (AIQ), and numbers with a fixed seed. */

export interface Pair {
  weak: number
  strong: number
}

/** PGR after each share k/n of prompts sent to the strong model, in the order of falling score; ties keep their order. */
function recovered(scores: readonly number[], pairs: readonly Pair[]): number[] {
  const order = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b)
  const gap = pairs.reduce((sum, { weak, strong }) => sum + strong - weak, 0)
  let gained = 0
  return [0, ...order.map(index => (gained += pairs[index]!.strong - pairs[index]!.weak) / gap)]
}

/** Mean of PGR over all shares; random is 0.5. */
export function apgr(scores: readonly number[], pairs: readonly Pair[]): number {
  const pgr = recovered(scores, pairs)
  let area = 0
  for (let k = 1; k < pgr.length; k++) area += (pgr[k - 1]! + pgr[k]!) / 2
  return area / (pgr.length - 1)
}

/** The least share of calls of the strong model with a PGR of at least `goal`. */
export function cpt(scores: readonly number[], pairs: readonly Pair[], goal: number): number {
  const pgr = recovered(scores, pairs)
  return pgr.findIndex(value => value >= goal) / (pgr.length - 1)
}

/** Of all pairs with different ranks, the share whose scores are in the same order; ties count half. */
export function concordance(scores: readonly number[], ranks: readonly number[]): number {
  let right = 0
  let all = 0
  for (let i = 0; i < scores.length; i++)
    for (let j = 0; j < i; j++) {
      const order = Math.sign(ranks[i]! - ranks[j]!)
      if (order === 0) continue
      all++
      right += (1 + order * Math.sign(scores[i]! - scores[j]!)) / 2
    }
  return right / all
}

/** A point of a policy: cost and quality of one request in the mean. */
export interface Point {
  cost: number
  quality: number
}

/** Area under the non-decreasing convex hull of the points over the cost range, divided by that range. */
export function aiq(points: readonly Point[], { from, to }: { from: number; to: number }): number {
  const hull: Point[] = []
  for (const point of [...points].sort((a, b) => a.cost - b.cost || b.quality - a.quality)) {
    if (hull.length > 0 && point.quality <= hull.at(-1)!.quality) continue
    while (hull.length > 1 && slope(hull.at(-2)!, point) >= slope(hull.at(-2)!, hull.at(-1)!)) hull.pop()
    hull.push(point)
  }
  const ends = [...hull, { cost: Math.max(to, hull.at(-1)!.cost), quality: hull.at(-1)!.quality }]
  let area = 0
  for (let k = 1; k < ends.length; k++) {
    const a = ends[k - 1]!
    const b = ends[k]!
    area += ((a.quality + b.quality) / 2) * (b.cost - a.cost)
  }
  return area / (to - from)
}
const slope = (a: Point, b: Point): number => (b.quality - a.quality) / Math.max(1e-12, b.cost - a.cost)

/** Numbers from 0 to 1 that depend on the seed only (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A fold for each of `count` rows, in random order. */
export function foldsOf(count: number, folds: number, seed: number): number[] {
  const random = randomOf(seed)
  const order = Array.from({ length: count }, (_, index) => ({ index, at: random() })).sort(
    (a, b) => a.at - b.at,
  )
  const result = Array.from({ length: count }, () => 0)
  order.forEach(({ index }, place) => (result[index] = place % folds))
  return result
}
