// Long runs, reported and not part of `npm test`: `npm run soak`.
import process from 'node:process'
import { folderOfRun } from '../support/database/folder.ts'

export type Say = (what: string, good: boolean, detail: string) => void

const HELP = `Usage: npm run soak
       npm run soak -- identity
       npm run soak -- money [seed]

Runs long tests for minutes on databases of their own: all of them, or the one that is named.
  identity     parallel refreshes of one token, and the time of sign-ins; ROUNDS=1000 sets the number of rounds
  money        random commands on money against a model; SEEDS=50000 sets the number of seeds, "money 17" runs seed 17 only
The exit status is 0 when every run passed.`

const [name, seed, ...rest] = process.argv.slice(2)
const isHelp = name === '--help' || name === '-h'
const isKnown = name === undefined || name === 'money' || (name === 'identity' && seed === undefined)
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
  // Imported here: --help needs no service.
  if (name !== 'money') await (await import('./identity.ts')).soakIdentity(say)
  if (name !== 'identity')
    await (await import('./money.ts')).soakMoney(say, seed === undefined ? undefined : Number(seed))
} finally {
  await removeFolder()
}
process.exit(failed ? 1 : 0)
