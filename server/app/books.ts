import { countLongFrozen } from '#ap2'
import { accounts, balanceOf, checkLedger } from '#ledger'
import { waitingForOperator } from '#payments'
import { MINUTE, SECOND } from '#platform/clock'
import { Loop } from '#platform/loop'
import { moneyNumber } from '#platform/money'
import type { Module, Services } from '#platform/services'
import { ledgerChecks } from './ledger-checks.ts'

const EVERY = 10 * MINUTE

/** What the last look at the books saw; the metrics tell it. */
export interface Books {
  /** Unix seconds. */
  checkedAt: number
  ok: 0 | 1
  faults: number
  /** Dollars in suspense. */
  suspense: number
  suspended: number
  unanswered: number
  /** Reports of the processor that moved money and could not be posted. */
  unposted: number
  longFrozen: number
}

const latest = new WeakMap<Services, Books>()
const loops = new WeakMap<Services, Loop>()

export const lastBooks = (services: Services): Books | undefined => latest.get(services)

/** Proves the books every ten minutes and counts what waits for the operator. */
export const booksModule: Module = {
  name: 'books',
  routes() {},
  async start(services) {
    const loop = new Loop('ledger check', EVERY, services.log, async () => { await checkBooks(services) })
    loops.set(services, loop)
    loop.start()
  },
  async stop(services) {
    await loops.get(services)?.stop()
  },
}

/** One look, now: a fault in the books goes to the log, all of it to the metrics. */
export async function checkBooks(services: Services): Promise<Books> {
  const { db, clock, log } = services
  const { ok, faults, figures: { journals, entries, accounts: balances } } = await checkLedger(db, ledgerChecks)
  if (ok) log.info({ journals, entries, accounts: balances }, 'ledger check: books balance')
  else log.error({ faults, journals, entries, accounts: balances }, 'ledger check: FAULTS in the books')
  const books: Books = {
    checkedAt: Math.floor(clock.real().getTime() / SECOND), ok: ok ? 1 : 0, faults: faults.length,
    suspense: moneyNumber(await balanceOf(db, accounts.suspense, 'USD')),
    longFrozen: await countLongFrozen(db, clock.now()),
    ...await db.one(waitingForOperator(clock.now())),
  }
  latest.set(services, books)
  return books
}
