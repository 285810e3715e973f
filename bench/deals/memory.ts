import { execFileSync } from 'node:child_process'

const KIB_PER_MIB = 1024

/** Resident memory of a process in MiB. */
export function residentMibOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / KIB_PER_MIB
}
