// Several processes, a pooler and a failover, reported: `npm run scale`. `npm test` has a short form in rolling.test.ts.
import process from 'node:process'

const HELP = `Usage: npm run scale -- rolling [PROCESSES]
       npm run scale -- shared [PROCESSES]
       npm run scale -- acceptance [PROCESSES]
       npm run scale -- pgbouncer
       npm run scale -- failover
       npm run scale -- sizes

Runs several server processes behind a balancer on a PostgreSQL of their own.
  rolling      replaces all processes, one after another, while 16 clients play deals
  shared       timers fire once, limits are exact, revocations and suspensions reach every process; with Redis where one answers
  acceptance   test files of npm test against all processes in turn
  pgbouncer    rolling, shared and acceptance with two processes through PgBouncer in transaction mode
  failover     kills the primary of two PostgreSQL servers under load and promotes the synchronous standby
  sizes        statements, transactions, rows, WAL and storage of one deal
PROCESSES is 2 by default. The exit status is 0 when everything passed.`

export type Say = (what: string, good: boolean, detail: string) => void

const [name = '', count = '2', ...rest] = process.argv.slice(2)
const NAMES = ['rolling', 'shared', 'acceptance', 'pgbouncer', 'failover', 'sizes']
const isHelp = name === '--help' || name === '-h'
if (isHelp || !NAMES.includes(name) || !/^[1-9]$/.test(count) || rest.length) {
  const wrong = process.argv.slice(2).join(' ')
  console[isHelp ? 'log' : 'error'](isHelp ? HELP : `scale: "${wrong}" is not a run\n\n${HELP}`)
  process.exit(isHelp ? 0 : 64)
}

let failed = 0
const say: Say = (what, good, detail) => {
  console.log(`${good ? 'ok    ' : 'FAILED'} ${what}: ${detail}`)
  if (!good) failed++
}

// Imported here: --help needs no service.
if (name === 'failover') await (await import('./failover.ts')).runFailover(say)
else if (name === 'sizes') await (await import('./sizes.ts')).printSizes()
else await (await import('./runs.ts')).run(name, Number(count), say)
process.exit(failed ? 1 : 0)
