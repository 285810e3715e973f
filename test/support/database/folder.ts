import { existsSync } from 'node:fs'
import { readlink, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../../.data/test')

/**
 * The folder of the embedded PostgreSQL of a long run. Returns a function that removes it, if this run made it, with the
 * place that the data went to if the folder could not hold it (see server/platform/adapters/postgres/place.ts).
 */
export function folderOfRun(): () => Promise<void> {
  if (existsSync(FOLDER)) return async () => undefined
  return async () => {
    const elsewhere = await readlink(join(FOLDER, 'postgres')).catch(() => null)
    if (elsewhere) await rm(dirname(elsewhere), { recursive: true, force: true })
    await rm(FOLDER, { recursive: true, force: true })
  }
}
