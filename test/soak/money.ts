import process from 'node:process'
import { runSeeds } from '../properties/money/seeds.ts'
import { Stage } from '../properties/money/fixture.ts'
import type { Say } from './index.ts'

const SEEDS = Number(process.env.SEEDS ?? 50_000)
/** How many run in one database. */
const IN_ONE = 5000

/** Random commands on money against a model; `seed` runs only that one. Each database passes the full ledger check. */
export async function soakMoney(say: Say, seed?: number): Promise<void> {
  const last = seed === undefined ? SEEDS : seed
  for (let from = seed ?? 1; from <= last; from += IN_ONE) {
    const count = Math.min(IN_ONE, last - from + 1)
    const failure = await runIn(from, count).then(
      () => undefined,
      (error: Error) => error,
    )
    const what = count === 1 ? `money, seed ${from}` : `money, seeds ${from} to ${from + count - 1}`
    say(what, !failure, failure ? failure.message : 'balances as in the model, the books balance')
  }
}

async function runIn(from: number, count: number): Promise<void> {
  const stage = await Stage.open()
  try {
    await runSeeds(stage, { from, count })
  } finally {
    await stage.close()
  }
}
