import { setTimeout as sleep } from 'node:timers/promises'
import { textOf } from '../unknown.ts'

const ATTEMPTS = 5
const CONFLICTS = new Set(['40001', '40P01'])

/** A deadlock or serialization failure. */
export const isConflict = (error: unknown): boolean => CONFLICTS.has(textOf(error, 'code'))

const CONSEQUENCES = new Set(['25P02', '26000'])

/** What follows the first error of a transaction: a refused statement, or one that the server did not prepare any more. */
export const isConsequence = (error: unknown): boolean => CONSEQUENCES.has(textOf(error, 'code'))

/**
 * Whether a prepared statement was refused because a migration changed the columns of its result, as when a later version
 * of the service starts beside this one. PostgreSQL refuses it before it runs; the text of the error depends on its language.
 */
export const isOutdatedPlan = (error: unknown): boolean =>
  textOf(error, 'routine') === 'RevalidateCachedQuery'

/** Runs `work` again after errors of this kind, at most 4 times. */
export async function repeatAfter<T>(
  isPassing: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= ATTEMPTS || !isPassing(error)) throw error
      await sleep(Math.random() * 20 * attempt)
    }
  }
}
