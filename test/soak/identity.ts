// Long runs of account security, reported and not part of `npm test`: `npm run soak`.
import { existsSync } from 'node:fs'
import { readlink, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

const HELP = `Usage: npm run soak

Runs account security for minutes on a database of its own: parallel refreshes of one token, and the time of sign-ins.
ROUNDS=1000 sets the number of rounds. The exit status is 0 when every run passed. No arguments are taken.`

const words = process.argv.slice(2)
if (words.length) {
  const help = ['--help', '-h'].includes(words[0] ?? '')
  console[help ? 'log' : 'error'](help ? HELP : `soak: ${words.join(' ')} is not an option\n\n${HELP}`)
  process.exit(help ? 0 : 64)
}

/** Where the test database is, unless the caller names a server. */
const FOLDER = join(import.meta.dirname, '../../.data/test')
const folderIsOurs = !existsSync(FOLDER)
const ROUNDS = Number(process.env.ROUNDS ?? 1000)
// Imported here: --help needs no service.
const { registerHuman, startTestService } = await import('#test')
const service = await startTestService({ LOG_LEVEL: 'silent' })
let failed = 0

const say = (what: string, good: boolean, detail: string) => {
  console.log(`${good ? 'ok    ' : 'FAILED'} ${what}: ${detail}`)
  if (!good) failed++
}

/** One refresh token used 32 times at once: one success, each of `ROUNDS` times. */
async function refreshes(): Promise<void> {
  let { refreshToken } = await registerHuman(service)
  let wrong = 0
  const started = performance.now()
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all(Array.from({ length: 32 }, () => service.http<{ refreshToken: string }>('POST', '/auth/refresh', { body: { refreshToken } })))
    const good = answers.filter(answer => answer.status === 200)
    if (good.length !== 1 || answers.some(answer => answer.status !== 200 && answer.status !== 401)) wrong++
    refreshToken = good[0]?.body.refreshToken ?? (await registerHuman(service)).refreshToken
  }
  say(`${ROUNDS} x 32 parallel refreshes`, wrong === 0, `${ROUNDS - wrong} rounds with exactly one success, ${((ROUNDS * 32) / (performance.now() - started) * 1000).toFixed(0)} calls/s`)
}

/** Sign-in of a known and of an unknown e-mail, in turn: the same bytes, medians within 3 ms. */
async function logins(): Promise<void> {
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
  const bodies = new Set<string>()
  const people: string[] = []
  for (let round = 0; round < 100; round++) people.push((await registerHuman(service)).email)
  await sleep(3000)
  for (const [round, known] of people.entries()) {
    for (const [kind, email] of [['known', known], ['unknown', `nobody-${round}@example.com`]] as const) {
      const started = performance.now()
      const { text } = await service.http('POST', '/auth/login', { body: { email, password: 'not the password' } })
      times[kind].push(performance.now() - started)
      bodies.add(text)
    }
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
  const gap = Math.abs(median(times.known) - median(times.unknown))
  say('sign-in of known and unknown e-mails', bodies.size === 1 && gap <= 3, `${bodies.size} kind of answer, medians ${median(times.known).toFixed(1)} and ${median(times.unknown).toFixed(1)} ms`)
}

/** With the place that the data went to if the folder could not hold it (see server/platform/postgres/place.ts). */
async function removeFolder(): Promise<void> {
  const elsewhere = await readlink(join(FOLDER, 'postgres')).catch(() => null)
  if (elsewhere) await rm(dirname(elsewhere), { recursive: true, force: true })
  await rm(FOLDER, { recursive: true, force: true })
}

try {
  await refreshes()
  await logins()
} finally {
  await service.close()
  if (folderIsOurs) await removeFolder()
}
process.exit(failed ? 1 : 0)
