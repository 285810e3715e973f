import type { Funds } from './model.ts'
import { runSeed, type Defect } from './program.ts'
import type { Fixture, Stage } from './fixture.ts'

/** So many run side by side, each with people of its own. */
const LANES = 4
/** After so many seeds one of the two instances is started anew. */
const RESTART_EVERY = 1000

export interface Seeds {
  from: number
  count: number
  restartEvery?: number
  defect?: Defect
}

/** Runs seeds; throws with the number and the steps of one that fails. */
export async function runSeeds(
  stage: Stage,
  { from, count, restartEvery = RESTART_EVERY, defect }: Seeds,
): Promise<void> {
  const fixtures = await stage.fixtures(Math.min(LANES, count))
  for (let first = from; first < from + count; first += restartEvery) {
    if (first > from) await stage.restart()
    const end = Math.min(first + restartEvery, from + count)
    await all(fixtures.map((fixture, at) => runLane(fixture, { first: first + at, end, defect })))
  }
}

async function runLane(
  fixture: Fixture,
  { first, end, defect }: { first: number; end: number; defect?: Defect },
): Promise<void> {
  let has: readonly Funds[] = await fixture.funds()
  for (let seed = first; seed < end; seed += LANES) has = await runSeed(fixture, seed, { has, defect })
}

/** Waits for all, also after a failure: nothing runs on when the service ends. */
async function all(lanes: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(lanes)) if (result.status === 'rejected') throw result.reason
}
