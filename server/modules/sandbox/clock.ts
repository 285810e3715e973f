import { SECOND } from '#platform/kernel/clock'
import { Loop } from '#platform/kernel/background/loop'
import { sandboxProcessor } from '#payments'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'

const storedOffset = () => sql<{ offsetMs: bigint }>`select offset_ms from platform_clock`
const moveOffset = (ms: number) => sql<{ offsetMs: bigint }>`
  update platform_clock set offset_ms = greatest(offset_ms, ${ms}::bigint) returning offset_ms`

/** Sets this instance's clock to the offset that all instances share. */
export async function loadClock({ db, clock }: Services): Promise<void> {
  const row = await db.polls.maybe(storedOffset())
  if (row) clock.setOffset(Number(row.offsetMs))
}

/** Follows the clock that another instance moved, within a second. */
export const clockFollower = (services: Services): Loop =>
  new Loop('sandbox clock', SECOND / 2, services.log, () => loadClock(services))

export const clockView = ({ clock }: Services) => ({
  now: clock.now().toISOString(),
  offsetSeconds: clock.offsetMs / SECOND,
})

/**
 * Moves business time ahead for all instances, from deadline to deadline, so that what falls due runs in order and
 * at its own time. `ran` counts the deadlines served. Sessions, tokens and limits keep real time.
 */
export async function advanceClock(services: Services, seconds: number) {
  const { clock, timers } = services
  const target = clock.offsetMs + Math.round(seconds * SECOND)
  // Asked from before each run: a deadline that comes between the run and the question is not passed over.
  let asked = clock.now()
  let ran = await runDue(services)
  for (;;) {
    const due = await timers.nextDue(asked)
    if (!due || due.getTime() > Date.now() + target) break
    await setOffset(services, due.getTime() - Date.now())
    asked = clock.now()
    ran += await runDue(services)
  }
  await setOffset(services, target)
  ran += await runDue(services)
  return { ...clockView(services), ran }
}

/** Runs what is due, and waits until the webhooks have heard of what happened at the processor. */
async function runDue(services: Services): Promise<number> {
  const ran = await services.timers.runDue()
  await sandboxProcessor(services).notifier.idle()
  return ran
}

async function setOffset({ db, clock }: Services, ms: number): Promise<void> {
  const { offsetMs } = await db.one(moveOffset(ms))
  clock.setOffset(Number(offsetMs))
}
