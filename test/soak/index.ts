// Long runs, reported and not part of `npm test`: `npm run soak`.
import process from 'node:process'
import { folderOfRun } from '../support/database/folder.ts'

export type Say = (what: string, good: boolean, detail: string) => void

const HELP = `Usage: npm run soak
       npm run soak -- identity
       npm run soak -- money [seed]
       npm run soak -- bank
       npm run soak -- mixed

Runs long tests for minutes on databases of their own: all of them, or the one that is named.
  identity     parallel refreshes of one token, and the time of sign-ins; ROUNDS=1000 sets the number of rounds
  money        random commands on money against a model; SEEDS=50000 sets the number of seeds, "money 17" runs seed 17 only
  bank         64 clients transfer money among each other and read the total; OPERATIONS=1000000 sets how many operations
  mixed        32 clients hire, pay and send model requests while memory, descriptors and the delay of the event loop are
               watched; MINUTES=120 sets how long. Linux only
The exit status is 0 when every run passed.`

/** What `npm run soak` runs, in this order. Each is imported when it runs: --help needs no service. */
const RUNS: Readonly<Record<string, (say: Say, seed?: number) => Promise<void>>> = {
  identity: async say => (await import('./identity.ts')).soakIdentity(say),
  money: async (say, seed) => (await import('./money.ts')).soakMoney(say, seed),
  bank: async say => (await import('./bank.ts')).soakBank(say),
  mixed: async say => (await import('./mixed.ts')).soakMixed(say),
}

const [name, seed, ...rest] = process.argv.slice(2)
const isHelp = name === '--help' || name === '-h'
const isKnown = name === undefined || (name in RUNS && (seed === undefined || name === 'money'))
const isSeed = seed === undefined || /^[1-9]\d{0,8}$/.test(seed)
if (isHelp || !isKnown || !isSeed || rest.length) {
  const wrong = process.argv.slice(2).join(' ')
  console[isHelp ? 'log' : 'error'](isHelp ? HELP : `soak: ${wrong} is not an option\n\n${HELP}`)
  process.exit(isHelp ? 0 : 64)
}

const removeFolder = folderOfRun()
let failed = 0
const say: Say = (what, good, detail) => {
  console.log(`${good ? 'ok    ' : 'FAILED'} ${what}: ${detail}`)
  if (!good) failed++
}

try {
  for (const run of name === undefined ? Object.values(RUNS) : [RUNS[name]])
    await run?.(say, seed === undefined ? undefined : Number(seed))
} finally {
  await removeFolder()
}
process.exit(failed ? 1 : 0)
