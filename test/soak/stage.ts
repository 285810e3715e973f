import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkAll } from '../chaos/checks.ts'
import type { Story } from '../chaos/clients/client.ts'
import { guard } from '../chaos/guard.ts'
import { Journal } from '../chaos/journal.ts'
import { Stage } from '../chaos/stage.ts'

/** Waits this long for the clients to come to rest: where nothing fails, each answer comes within a second. */
const IDLE_MS = 60_000

interface Options {
  clients: number
  stories?: readonly Story[]
}

/** Servers, PostgreSQL and clients as `npm run chaos` has them, but nothing fails. `work` starts the clients. */
export async function onStage(options: Options, work: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-soak-'))
  const cleanUp = guard(folder)
  try {
    const journal = new Journal(line => console.log(line))
    const stage = await Stage.open({ ...options, folder, journal, seed: 1, servers: 2 })
    try {
      await work(stage)
    } finally {
      await stage.close()
    }
  } finally {
    await cleanUp()
  }
}

/** Compares what the clients were promised with what is stored, while they wait. */
export const compare = (stage: Stage, isLast: boolean): Promise<void> =>
  stage.rest(IDLE_MS, isLast, () => checkAll(stage, { isLast, isShort: false }))
