import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from '#app'
import { createLog } from '#platform/adapters/log/log'
import { readConfig } from '#platform/kernel/config'
import { freePort, recordQueries } from '#test'
import { ADMIN, Player, STEPS, type Step } from './players.ts'

/** Longer than the service caches a credential. */
const CACHE_EXPIRED_MS = 1000

export type Counts = Record<Step, { statements: number; 'round trips': number }>

/** What one deal asks of the database, step by step, everything included: credentials are looked up for each step. */
export async function countStatements(url: string, dataDir: string): Promise<Counts> {
  const port = await freePort()
  const config = readConfig({
    PORT: String(port),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    SVC_DATA_DIR: dataDir,
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  })
  const { stop } = await startService(config, url, createLog('error'))
  const counts: Partial<Counts> = {}
  let player: Player | undefined
  try {
    player = await Player.open(`http://127.0.0.1:${port}`)
    await player.playDeal((_step, work) => work())
    await player.playDeal(async (step, work) => {
      await sleep(CACHE_EXPIRED_MS)
      const { result, queries } = await recordQueries(work)
      counts[step] = {
        statements: queries.length,
        'round trips': queries.filter(each => each.isFirst).length,
      }
      return result
    })
  } finally {
    player?.close()
    await stop()
  }
  return Object.fromEntries(STEPS.map(step => [step, counts[step]])) as Counts
}
