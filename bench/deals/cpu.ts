import { readFile } from 'node:fs/promises'
import process from 'node:process'
import pg from 'pg'

const TICKS_PER_SECOND = 100

/** The fields of /proc/PID/stat from `state` on; none where the system has no /proc. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

// Two fields from `first` on: in user mode and in the kernel.
const secondsIn = (fields: readonly string[], first: number): number =>
  (Number(fields[first] ?? NaN) + Number(fields[first + 1] ?? NaN)) / TICKS_PER_SECOND

/** CPU time that processes have used so far; NaN where the system has no /proc. */
export async function cpuSecondsOf(pids: readonly number[]): Promise<number> {
  let seconds = 0
  for (const pid of pids) seconds += secondsIn(await statOf(pid), 11)
  return seconds
}

async function ask<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows as Row[]
}

/** CPU time of the connections to a database on this machine; NaN for one on another. */
export async function cpuSecondsOfDatabase(url: string): Promise<number> {
  const rows = await ask<{ pid: number }>(
    url,
    "select pid from pg_stat_activity where datname = current_database() and application_name = 'svc'",
  )
  return cpuSecondsOf(rows.map(row => row.pid))
}

/** The process that the connections of a database on this machine are children of. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const parent = Number((await statOf(rows[0]?.pid ?? 0))[1])
  await client.end()
  return parent
}

/** CPU time of programs that this process has run, and of connections to the database that have ended. */
export async function cpuSecondsOfEnded(postmaster: number): Promise<number> {
  return secondsIn(await statOf(process.pid), 13) + secondsIn(await statOf(postmaster), 13)
}
