import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { runSeeds } from './seeds.ts'
import { Stage } from './fixture.ts'

/** `npm run soak -- money` runs more of them, or one. So many do each command several times. */
const SEEDS = 240

suite('random commands on money', () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage.close())

  test('end as in a model in memory, with replays, freezes, crashes and a restart', async () => {
    await runSeeds(stage, { from: 1, count: SEEDS, restartEvery: SEEDS / 2 })
  })

  for (const defect of ['repeats a key', 'commits before a crash', 'loses a refund'] as const)
    test(`find a service that ${defect}, and name the seed`, async () => {
      await assert.rejects(runSeeds(stage, { from: 1, count: 60, defect }), /^Error: seed \d+: /)
    })
})
