import { sealAudit } from '#platform/audit'
import { MINUTE, SECOND } from '#platform/clock'
import { Loop } from '#platform/loop'
import type { Module, Services } from '#platform/services'
import { checkLedger, type LedgerCheck } from './check.ts'
import { ledgerConstraints } from './faults.ts'
import { sealLedger } from './sealing.ts'

const CHECK_EVERY = 10 * MINUTE

/** The ledger as a part of the service. `extra` are rules of upper modules for the periodic check of the books. */
export function createLedgerModule(extra: readonly LedgerCheck[]): Module {
  const loops = new WeakMap<Services, Loop[]>()
  return {
    name: 'ledger',
    constraints: ledgerConstraints,
    routes() {},
    async start(services) {
      const { log } = services
      const started = [
        new Loop('sealing', SECOND, log, () => seal(services)),
        new Loop('ledger check', CHECK_EVERY, log, () => check(services, extra)),
      ]
      loops.set(services, started)
      for (const loop of started) loop.start()
    },
    async stop(services) {
      for (const loop of loops.get(services) ?? []) await loop.stop()
      // What the last second posted, so that a stopped service leaves nothing unsealed.
      await seal(services)
    },
  }
}

// Both chains of evidence in one loop: the floor has no loops of its own.
async function seal({ db }: Services): Promise<void> {
  await sealLedger(db)
  await sealAudit(db)
}

async function check({ db, log }: Services, extra: readonly LedgerCheck[]): Promise<void> {
  const { ok, faults, figures } = await checkLedger(db, extra)
  const { journals, entries, accounts } = figures
  if (ok) log.info({ journals, entries, accounts }, 'ledger check: books balance')
  else log.error({ faults, journals, entries, accounts }, 'ledger check: FAULTS in the books')
}
