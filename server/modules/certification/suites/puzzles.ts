import type { SeededRandom } from './random.ts'
import type { Puzzle } from './reasoning.ts'

const DAY_MS = 86_400_000

/** A date some working days after another. */
export function datePuzzle(random: SeededRandom): Puzzle {
  const start = new Date(Date.UTC(random.int(2020, 2035), random.int(0, 11), random.int(1, 28)))
  const days = random.int(12, 60)
  let date = start
  for (let left = days; left > 0;) {
    date = new Date(date.getTime() + DAY_MS)
    if (date.getUTCDay() !== 0 && date.getUTCDay() !== 6) left--
  }
  const text = (of: Date) => of.toISOString().slice(0, 10)
  return {
    kind: 'date',
    question: `Working days are Monday to Friday; there are no holidays. Which date is ${days} working days after ${text(start)}? Answer as YYYY-MM-DD.`,
    answer: text(date),
  }
}

/** A line of people, from what is said of pairs. */
export function orderPuzzle(random: SeededRandom, names: readonly string[]): Puzzle {
  const line = random.shuffled(names)
  const clues = line.slice(1).map((name, n) => `${name} is directly behind ${line[n] ?? ''}`)
  const place = random.int(2, line.length - 1)
  return {
    kind: 'order',
    question: `${line.length} people wait in a line. ${random.shuffled(clues).join('. ')}. Who has place ${place}, counted from the front?`,
    answer: line[place - 1] ?? '',
  }
}

type Road = [from: number, to: number, km: number]

/** The shortest way through a small net of roads. */
export function routePuzzle(random: SeededRandom): Puzzle {
  const towns = ['A', 'B', 'C', 'D', 'E', 'F', 'G']
  const roads: Road[] = []
  for (let from = 0; from < towns.length; from++)
    for (let to = from + 1; to < towns.length; to++)
      // Each town is connected with the next one, so that there is a way.
      if (to === from + 1 || random.int(0, 2) === 0) roads.push([from, to, random.int(3, 40) * (to - from)])
  const text = random
    .shuffled(roads)
    .map(([from, to, km]) => `${towns[from] ?? ''}-${towns[to] ?? ''} ${km} km`)
    .join(', ')
  return {
    kind: 'route',
    question: `Roads can be used in both directions: ${text}. How many kilometers has the shortest way from A to G?`,
    answer: shortest(roads, towns.length),
  }
}

/** From the first to the last town (Bellman and Ford). */
function shortest(roads: readonly Road[], towns: number): number {
  const distance = Array.from({ length: towns }, (_, n) => (n === 0 ? 0 : Infinity))
  const at = (town: number): number => distance[town] ?? Infinity
  for (let round = 0; round < towns; round++)
    for (const [from, to, km] of roads) {
      distance[to] = Math.min(at(to), at(from) + km)
      distance[from] = Math.min(at(from), at(to) + km)
    }
  return at(towns - 1)
}
