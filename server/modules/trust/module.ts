import { agentKeys, agentStats } from '#agents'
import { MICRO } from '#platform/kernel/money'
import { defineModule } from '#platform/kernel/module'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import { evaluateAgent } from './evaluate.ts'
import { certificatesOf } from './ports.ts'
import { trustRoutes } from './routes.ts'
import { recount, setPolicy } from './sql.ts'
import { recordTrustedAgent, revokePassportsOfRevokedAgent } from './trust.ts'

export default defineModule({
  name: 'trust',
  ports: [certificatesOf],
  create: services => ({
    routes: app => trustRoutes(app, services),
    timers: [
      {
        name: 'trust score',
        table: 'trust_standing',
        column: 'evaluate_at',
        where: part`evaluate_at is not null`,
        run: evaluateAgent,
      },
    ],
    subscribes: [
      agentStats.agentTrusted.with(recordTrustedAgent),
      agentKeys.agentKeysRevoked.with(revokePassportsOfRevokedAgent),
    ],
    start: () => applyPolicy(services),
  }),
})

/** Counts all agents again where the operator changed which deals count. */
async function applyPolicy({ db, config }: Services): Promise<void> {
  const minCompletion = BigInt(config.TRUST_MIN_COMPLETION_USD) * MICRO
  await db.transaction(async tx => {
    if (await tx.maybe(setPolicy(config.sandbox, minCompletion))) await tx.run(recount('POLICY', tx.now))
  })
}
