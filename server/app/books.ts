import { countLongFrozen } from '#ap2'
import { accounts, balanceOf, checkLedger } from '#ledger'
import { waitingForOperator } from '#payments'
import { DAY, MINUTE, SECOND } from '#platform/clock'
import { Loop } from '#platform/loop'
import { moneyNumber } from '#platform/money'
import type { Module, Services } from '#platform/services'
import { lastResult, runIfDue } from '#platform/task'
import { verifyEvidence } from './evidence.ts'
import { ledgerChecks } from './ledger-checks.ts'

/** What the last check of the books found; shown in the metrics. */
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

/** What the last verification of the chains found. */
export interface Evidence { verifiedAt: number; verified: 0 | 1; chainFaults: number }

interface Checks { books?: Books; evidence?: Evidence }

const CHECK = 'ledger check'
const VERIFY = 'audit verify'
const latest = new WeakMap<Services, Checks>()
const loops = new WeakMap<Services, Loop>()

/** The results of the last checks, on whichever instance they ran. */
export const lastChecks = (services: Services): Checks => latest.get(services) ?? {}

/** Checks the books every ten minutes and verifies the chains once a day, on one instance for all. */
export const booksModule: Module = {
  name: 'books',
  routes() {},
  async start(services) {
    const loop = new Loop('checks', MINUTE, services.log, () => runChecks(services))
    loops.set(services, loop)
    loop.start()
  },
  async stop(services) {
    await loops.get(services)?.stop()
  },
}

/** Runs what is due, and reads what other instances found. */
export async function runChecks(services: Services): Promise<void> {
  const { db, log } = services
  await runIfDue(db, log, { name: CHECK, everyMs: 10 * MINUTE, run: () => checkBooks(services) })
  await runIfDue(db, log, { name: VERIFY, everyMs: DAY, run: () => checkEvidence(services) })
  latest.set(services, { books: await lastResult<Books>(db, CHECK), evidence: await lastResult<Evidence>(db, VERIFY) })
}

const secondsOf = (services: Services): number => Math.floor(services.clock.real().getTime() / SECOND)

/** One check of the books, now: findings go to the log, all figures to the metrics. */
export async function checkBooks(services: Services): Promise<Books> {
  const { db, clock, log } = services
  const { ok, faults, figures: { journals, entries, accounts: balances } } = await checkLedger(db, ledgerChecks)
  if (ok) log.info({ journals, entries, accounts: balances }, 'ledger check: books balance')
  else log.error({ faults, journals, entries, accounts: balances }, 'ledger check: FAULTS in the books')
  const books: Books = {
    checkedAt: secondsOf(services), ok: ok ? 1 : 0, faults: faults.length,
    suspense: moneyNumber(await balanceOf(db, accounts.suspense, 'USD')),
    longFrozen: await countLongFrozen(db, clock.now()),
    ...await db.one(waitingForOperator(clock.now())),
  }
  latest.set(services, { ...lastChecks(services), books })
  return books
}

/** One verification of both chains, now. */
export async function checkEvidence(services: Services): Promise<Evidence> {
  const { ok, faults, ledger, audit, anchored } = await verifyEvidence(services)
  const heads = { ledger: { blocks: ledger.blocks, head: ledger.head }, audit: { blocks: audit.blocks, head: audit.head }, anchored }
  if (ok) services.log.info(heads, 'audit verify: both chains verify')
  else services.log.error({ faults: faults.slice(0, 50), count: faults.length, ...heads }, 'audit verify: FAULTS in the chains')
  const evidence: Evidence = { verifiedAt: secondsOf(services), verified: ok ? 1 : 0, chainFaults: faults.length }
  latest.set(services, { ...lastChecks(services), evidence })
  return evidence
}
