import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import process from 'node:process'

interface Child {
  pid: number
  command: string
}

/** The processes that a process started, with their titles. */
export async function childrenOf(parent: number): Promise<Child[]> {
  if (process.platform !== 'linux') {
    const lines = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' })
      .stdout.split('\n')
      .map(line => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    return lines.flatMap(found =>
      Number(found?.[2]) === parent ? [{ pid: Number(found?.[1]), command: found?.[3] ?? '' }] : [],
    )
  }
  const children: Child[] = []
  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    // The name in parentheses may hold blanks; state and parent follow it.
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) !== parent) continue
    children.push({
      pid: Number(pid),
      command: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    })
  }
  return children
}
