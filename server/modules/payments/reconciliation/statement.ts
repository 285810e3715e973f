import { apiError } from '#platform/kernel/errors'
import { after, DAY } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import { PAYMENTS } from '../errors.ts'
import { processorOf } from '../processor.ts'
import { NoAnswer } from '../processors/port.ts'
import type { Movement } from '../processors/statement-port.ts'

/** How far the clocks of the processor and of the service may differ. */
const SKEW = DAY

/** Business time, from `from` until before `to`. */
export interface Period {
  from: Date
  to: Date
}

/** What moved the balance at the processor. */
export interface Statement extends Period {
  /** In the period. */
  movements: readonly Movement[]
  /** Before and after it too: clocks differ, and what ends in the period may have begun earlier. */
  around: readonly Movement[]
}

/** The statement of a period; `since` is the beginning of the oldest order that ended in it. Throws NoAnswer. */
export async function readStatement(
  services: Services,
  { from, to }: Period,
  since: Date | null,
): Promise<Statement> {
  const first = since && since < from ? since : from
  const around: Movement[] = []
  for await (const movement of processorOf(services).movements(after(first, -SKEW), after(to, SKEW)))
    around.push(movement)
  return { from, to, around, movements: around.filter(({ at }) => at >= from && at < to) }
}

/** A comparison, or ApiError 503 where the processor does not respond. */
export const orIncomplete = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    if (!(cause instanceof NoAnswer)) throw cause
    throw apiError(PAYMENTS.PROCESSOR_UNAVAILABLE, {
      hint: 'The comparison is incomplete: run it again',
      cause,
    })
  })
