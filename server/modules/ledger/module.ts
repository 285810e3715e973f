import { auditHead, sealAudit } from '#platform/audit'
import { Anchors } from '#platform/anchor'
import { SECOND } from '#platform/clock'
import { Loop } from '#platform/loop'
import type { Module, Services } from '#platform/services'
import { ledgerConstraints } from './faults.ts'
import { ledgerRoutes } from './routes.ts'
import { ledgerHead, sealLedger } from './sealing.ts'

interface Running { sealing: Loop; anchors: Anchors }

const running = new WeakMap<Services, Running>()

/** The ledger as a part of the service: seals what was posted. */
export const ledgerModule: Module = {
  name: 'ledger',
  constraints: ledgerConstraints,
  routes: ledgerRoutes,
  async start(services) {
    const { db, config, log } = services
    const anchors = new Anchors(config, log)
    const sealing = new Loop('sealing', SECOND, log, () => seal(services, anchors))
    running.set(services, { sealing, anchors })
    // A stop between a block and its anchor may have left the last heads out.
    for (const head of [await ledgerHead(db), await auditHead(db)]) if (head) anchors.add(head)
    sealing.start()
    anchors.start()
  },
  async stop(services) {
    const { sealing, anchors } = running.get(services) ?? {}
    await sealing?.stop()
    // What the last second posted, so that a stopped service leaves nothing unsealed.
    try {
      if (anchors) await seal(services, anchors)
    } finally {
      await anchors?.stop()
    }
  },
}

// Both chains of evidence in one loop: the platform layer has no loops of its own.
async function seal({ db, secrets }: Services, anchors: Anchors): Promise<void> {
  const onHead = anchors.add.bind(anchors)
  await sealLedger(db, secrets, onHead)
  await sealAudit(db, secrets, onHead)
}
