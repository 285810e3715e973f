import { SECOND } from '#platform/clock'
import { Loop } from '#platform/loop'
import type { Services } from '#platform/services'
import { sql } from '#platform/sql'

const storedOffset = () => sql<{ offset_ms: bigint }>`select offset_ms from platform_clock`
const moveOffset = (ms: number) => sql<{ offset_ms: bigint }>`
  update platform_clock set offset_ms = greatest(offset_ms, ${ms}::bigint) returning offset_ms`

/** Sets this instance's clock to the offset that all instances share. */
export async function loadClock({ db, clock }: Services): Promise<void> {
  const row = await db.maybe(storedOffset())
  if (row) clock.setOffset(Number(row.offset_ms))
}

/** Follows the clock that another instance moved, within a second. */
export const clockFollower = (services: Services): Loop => new Loop('sandbox clock', SECOND / 2, services.log, () => loadClock(services))

export const clockView = ({ clock }: Services) => ({ now: clock.now().toISOString(), offsetSeconds: clock.offsetMs / SECOND })

/**
 * Moves business time ahead for all instances, from deadline to deadline, so that what falls due runs in order and
 * at its own time. `ran` counts the deadlines served. Sessions, tokens and limits keep real time.
 */
export async function advanceClock(services: Services, seconds: number) {
  const { clock, timers } = services
  const target = clock.offsetMs + Math.round(seconds * SECOND)
  let ran = await timers.runDue()
  for (;;) {
    const due = await timers.nextDue(clock.now())
    if (!due || due.getTime() > Date.now() + target) break
    await setOffset(services, due.getTime() - Date.now())
    ran += await timers.runDue()
  }
  await setOffset(services, target)
  ran += await timers.runDue()
  return { ...clockView(services), ran }
}

async function setOffset({ db, clock }: Services, ms: number): Promise<void> {
  const { offset_ms } = await db.one(moveOffset(ms))
  clock.setOffset(Number(offset_ms))
}
