import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { guard } from './guard.ts'
import { killsOf, postgresKillsOf, runChaos } from './run.ts'
import { summaryOf } from './summary.ts'

/** `npm run chaos` has a thousand kills, more clients and every fault. */
suite('kills of servers and of PostgreSQL under load', { timeout: 900_000 }, () => {
  let folder: string
  let cleanUp: () => Promise<void>
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'))
    cleanUp = guard(folder)
  })
  after(() => cleanUp())

  test('lose nothing that was acknowledged, and double nothing', async () => {
    const journal = await runChaos({
      folder,
      // A failpoint of a request, a kill of a server and a kill of PostgreSQL, also where the disk cannot fail.
      seed: 58,
      clients: 2,
      servers: 2,
      rounds: 1,
      kills: Infinity,
      postgresKills: Infinity,
      // Far away on a slow machine: a run that ends before its faults would prove nothing.
      minutes: 10,
      faultsPerRound: 3,
      isShort: true,
      say: () => undefined,
    })
    assert.deepEqual([...journal.findings.keys()], [], summaryOf(journal))
    assert.ok(killsOf(journal) > 0, 'no server was killed')
    assert.ok(postgresKillsOf(journal) > 0, 'PostgreSQL was not killed')
    assert.ok(journal.of('acknowledged') > 0, 'no request was acknowledged')
  })
})
