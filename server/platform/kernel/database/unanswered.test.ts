import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Unanswered } from './unanswered.ts'

const HOUR_MS = 3_600_000

test('a clock of the machine that goes forward ends no work that waits', async () => {
  const asked: number[] = []
  const watcher = new Unanswered(200, async waitedMs => {
    asked.push(waitedMs)
    return waitedMs > HOUR_MS / 2
  })
  const work = watcher.watch(sleep(1500, 'done'), waitedMs => new Error(`failed after ${waitedMs} ms`))
  mock.timers.enable({ apis: ['Date'], now: Date.now() + HOUR_MS })
  try {
    assert.equal(await work, 'done')
  } finally {
    mock.timers.reset()
  }
  assert.ok(asked.length > 0, 'nothing looked after the work')
})
