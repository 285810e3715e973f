// Servers, PostgreSQL and what is between them fail at random under load: `npm run chaos`.
import process from 'node:process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { guard } from './guard.ts'
import { summaryOf } from './summary.ts'

const HELP = `Usage: npm run chaos -- [options]

32 clients hire, pay, transfer, pay out and send model requests on two server processes with a PostgreSQL of their own,
while servers are killed at random and at each statement of the requests, PostgreSQL is killed, frozen and slow, its disk
is full or broken, and events of the card processor are lost, repeated and reordered. After each round the ledger is
checked, and what was acknowledged to the clients is compared with what is stored.

  --seed N            of the faults and the choices of the clients (1)
  --kills N           the run ends after this many kills of servers (1000) ...
  --postgres-kills N  ... and of PostgreSQL (100),
  --rounds N          or after this many rounds,
  --minutes N         or after this time (90)
  --clients N         clients (32)
  --servers N         server processes (2)
  --faults T          only faults whose name contains the text, such as PostgreSQL
  --short             60 kills of servers, 5 of PostgreSQL

Ctrl-C ends the run with its last check, a second one at once. The exit status is 0 when there is no finding. Linux only.`

const OPTIONS = {
  seed: { type: 'string', default: '1' },
  kills: { type: 'string' },
  'postgres-kills': { type: 'string' },
  rounds: { type: 'string', default: '100000' },
  minutes: { type: 'string', default: '90' },
  clients: { type: 'string', default: '32' },
  servers: { type: 'string', default: '2' },
  faults: { type: 'string' },
  short: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS })
    for (const [name, value] of Object.entries(values))
      if (typeof value === 'string' && name !== 'faults' && !/^[1-9]\d{0,8}$/.test(value))
        throw new Error(`--${name} must be a number from 1`)
    return values
  } catch (error) {
    console.error(`chaos: ${(error as Error).message}\n\n${HELP}`)
    return process.exit(64)
  }
}

const given = readOptions()
if (given.help) {
  console.log(HELP)
  process.exit(0)
}

const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'))
const cleanUp = guard(folder)
const stop = new AbortController()
// The first Ctrl-C ends the run with its last check, the second at once.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => (stop.signal.aborted ? process.exit(130) : stop.abort()))
let passed = false
try {
  // Imported here: --help needs no service.
  const { runChaos } = await import('./run.ts')
  const journal = await runChaos({
    folder,
    seed: Number(given.seed),
    kills: Number(given.kills ?? (given.short ? 60 : 1000)),
    postgresKills: Number(given['postgres-kills'] ?? (given.short ? 5 : 100)),
    rounds: Number(given.rounds),
    minutes: Number(given.minutes),
    clients: Number(given.clients),
    servers: Number(given.servers),
    only: given.faults,
    faultsPerRound: given.short ? 10 : 40,
    isShort: given.short,
    signal: stop.signal,
    say: line => console.log(line),
  })
  console.log(summaryOf(journal))
  passed = journal.findings.size === 0
} finally {
  await cleanUp()
}
process.exit(passed ? 0 : 1)
