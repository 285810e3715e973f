import { MICRO } from '#platform/money'
import type { Module } from '#platform/services'
import { trustRoutes } from './routes.ts'
import { setPolicy } from './sql.ts'

export const trustModule: Module = {
  name: 'trust',
  routes: trustRoutes,
  start: async ({ db, config }) => {
    await db.run(setPolicy(config.sandbox, BigInt(config.TRUST_MIN_COMPLETION_USD) * MICRO))
  },
}
