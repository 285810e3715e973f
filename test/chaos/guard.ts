import { spawn } from 'node:child_process'
import process from 'node:process'

/** Of Linux: a process belongs to the run if its environment, its command line or its working directory names the folder. */
const SCRIPT = `cat > /dev/null
for entry in /proc/[0-9]*; do
  pid=\${entry#/proc/}
  [ "$pid" = $$ ] && continue
  case "$(readlink "$entry/cwd")" in "$1"*) ;; *) grep -qsaF "$1" "$entry/environ" "$entry/cmdline" || continue ;; esac
  kill -9 "$pid"
  kill -CONT "$pid"
done 2> /dev/null
sleep 0.3
umount "$1/disk" 2> /dev/null
rm -rf "$1"`

/**
 * Starts a process that waits for the end of this one, however it comes about, then ends the servers that work in the folder
 * and removes it. Returns a function that has it done now, and waits for it.
 */
export function guard(folder: string): () => Promise<void> {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'guard', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH },
  })
  child.unref()
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  return () => {
    child.ref()
    child.stdin.end()
    return ended
  }
}
