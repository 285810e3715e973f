import { sealAudit } from '#platform/audit'
import { SECOND } from '#platform/clock'
import { Loop } from '#platform/loop'
import type { Module, Services } from '#platform/services'
import { ledgerConstraints } from './faults.ts'
import { sealLedger } from './sealing.ts'

const loops = new WeakMap<Services, Loop>()

/** The ledger as a part of the service: seals what was posted. */
export const ledgerModule: Module = {
  name: 'ledger',
  constraints: ledgerConstraints,
  routes() {},
  async start(services) {
    const sealing = new Loop('sealing', SECOND, services.log, () => seal(services))
    loops.set(services, sealing)
    sealing.start()
  },
  async stop(services) {
    await loops.get(services)?.stop()
    // What the last second posted, so that a stopped service leaves nothing unsealed.
    await seal(services)
  },
}

// Both chains of evidence in one loop: the floor has no loops of its own.
async function seal({ db }: Services): Promise<void> {
  await sealLedger(db)
  await sealAudit(db)
}
