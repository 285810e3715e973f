import type { Static } from '#platform/http/type'
import { taskStates } from '#platform/kernel/background/task'
import { after, MINUTE } from '#platform/kernel/clock'
import { isRecord } from '#platform/kernel/unknown'
import type { Services } from '#platform/kernel/services'
import type { BackgroundWork } from './schema.ts'

/** What the service does by itself: deadlines, jobs and repeated tasks of all instances. */
export async function backgroundWork({
  clock,
  db,
  jobs,
  timers,
}: Services): Promise<Static<typeof BackgroundWork>> {
  const now = clock.real()
  const businessTime = clock.now()
  const late = after(businessTime, -MINUTE)
  const tasks = await db.rows(taskStates())
  return {
    now: now.toISOString(),
    businessTime: businessTime.toISOString(),
    timers: (await timers.states()).map(({ name, nextDueAt }) => ({
      name,
      nextDueAt: nextDueAt?.toISOString() ?? null,
      isLate: nextDueAt !== null && nextDueAt < late,
    })),
    jobs: await jobs.states(),
    tasks: tasks.map(({ name, dueAt, finishedAt, isRunning, result }) => ({
      name,
      dueAt: dueAt.toISOString(),
      finishedAt: finishedAt?.toISOString() ?? null,
      isRunning,
      figures: figuresOf(result),
    })),
  }
}

const figuresOf = (result: unknown): Record<string, number> =>
  Object.fromEntries(
    Object.entries(isRecord(result) ? result : {}).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    ),
  )
