import { auditHead, sealAudit } from '#platform/kernel/audit'
import { Anchors } from '#platform/kernel/chain/anchor'
import { SECOND } from '#platform/kernel/clock'
import { Loop } from '#platform/kernel/background/loop'
import { defineModule } from '#platform/kernel/module'
import type { Services } from '#platform/kernel/services'
import { ledgerConstraints } from './errors.ts'
import { explorerRoutes } from './explorer-routes.ts'
import { ledgerRoutes } from './routes.ts'
import { ledgerHead, sealLedger } from './sealing.ts'

/** Posts journals, and seals them and the audit log into blocks. */
export default defineModule({
  name: 'ledger',
  constraints: ledgerConstraints,
  create(services) {
    const { db, config, log } = services
    const anchors = new Anchors(config, log)
    const sealing = new Loop('sealing', SECOND, log, () => seal(services, anchors))
    return {
      routes: app => {
        ledgerRoutes(app, services)
        explorerRoutes(app)
      },
      async start() {
        // A stop between a block and its anchor may have left the last heads out.
        for (const head of await Promise.all([ledgerHead(db), auditHead(db)])) if (head) anchors.add(head)
        sealing.start()
        anchors.start()
      },
      async stop() {
        await sealing.stop()
        // What the last second posted, so that a stopped service leaves nothing unsealed.
        try {
          await seal(services, anchors)
        } finally {
          await anchors.stop()
        }
      },
    }
  },
})

// Both chains of evidence in one loop: the platform layer has no loops of its own.
async function seal({ db, secrets }: Services, anchors: Anchors): Promise<void> {
  const onHead = anchors.add.bind(anchors)
  await sealLedger(db, secrets, onHead)
  await sealAudit(db, secrets, onHead)
}
