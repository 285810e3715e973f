import { SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'

/** Help texts of the gauges about work that the service does by itself, over all instances. */
export const BACKGROUND_HELP = {
  svc_timers_overdue_seconds: 'For how long the earliest deadline has been due; 0 if none is',
  svc_outbox_messages: 'Messages between modules that wait',
  svc_jobs_waiting: 'Jobs that wait, retries included',
  svc_jobs_oldest_seconds: 'For how long the oldest job has not been done; 0 without one',
  svc_jobs_active: 'Jobs that run',
  svc_jobs_failed: 'Jobs that were given up and are not deleted yet',
  svc_wal_archive_failing: '1 while PostgreSQL cannot archive its log; absent where it archives none',
}

/** Their values now. */
export async function backgroundFigures({
  db,
  clock,
  jobs,
  timers,
}: Pick<Services, 'db' | 'clock' | 'jobs' | 'timers'>): Promise<Record<string, number>> {
  const now = clock.now()
  const due = (await timers.states()).flatMap(({ nextDueAt }) => (nextDueAt ? [nextDueAt] : []))
  const earliest = due.toSorted((a, b) => Number(a) - Number(b))[0] ?? now
  const states = await jobs.states()
  const sumOf = (state: 'waiting' | 'active' | 'failed') => states.reduce((sum, each) => sum + each[state], 0)
  const { outbox, archives, isFailing, oldestJob } = await db.one(serverFigures())
  return {
    svc_timers_overdue_seconds: Math.max(0, Number(now) - Number(earliest)) / SECOND,
    svc_outbox_messages: outbox,
    svc_jobs_waiting: sumOf('waiting'),
    svc_jobs_oldest_seconds: oldestJob,
    svc_jobs_active: sumOf('active'),
    svc_jobs_failed: sumOf('failed'),
    ...(archives ? { svc_wal_archive_failing: Number(isFailing) } : {}),
  }
}

const serverFigures = () => sql<{ outbox: number; archives: boolean; isFailing: boolean; oldestJob: number }>`
  select (select count(*)::int from platform_outbox) as outbox, current_setting('archive_mode') <> 'off' as archives,
    (select coalesce(extract(epoch from now() - min(created_on)), 0)::float8 from jobs.job
      where state in ('created', 'retry', 'active')) as oldest_job,
    coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as is_failing
  from pg_stat_archiver`
