import { spawnSync } from 'node:child_process'
import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'

/** The postmaster of this cluster, by its own pid file; null when there is none. */
export async function pidOf(directory: string): Promise<number | null> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')
  return Number(text.split('\n')[0]) || null
}

/** Whether the process that the pid file names is a PostgreSQL: starting, ready or stopping. */
export async function isRunning({ directory }: { directory: string }): Promise<boolean> {
  const pid = await pidOf(directory)
  return pid !== null && isPostmaster(await commandOf(pid), directory)
}

/**
 * After a crash the pid in a left-over lock file may be that of another process (always so in a restarted container), for fear
 * of which PostgreSQL would not start. The pid of its own parent it takes for stale, and still refuses to start beside
 * surviving children of the dead postmaster: so that pid is written, and the file, which names their memory, stays.
 */
export async function disownReusedPid(file: string, directory: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const command = text && (await commandOf(Number.parseInt(text, 10)))
  if (!command || isPostmaster(command, directory)) return
  const handle = await open(file, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW)
  await handle.writeFile(text.replace(/^.*/, String(process.pid)))
  await handle.close()
}

const isPostmaster = (command: string, directory: string): boolean =>
  command.replaceAll('\0', ' ').includes(`postgres -D ${directory} `)

/** The command of a process; empty when it is gone, or dead and not yet collected by its parent. */
export async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).stdout ?? ''
}
