import { part } from '#platform/sql'
import type { Module, Services } from '#platform/services'
import type { Timer } from '#platform/timers'
import { end } from './booking.ts'
import { sandboxProcessor } from './processor.ts'
import { paymentRoutes } from './routes.ts'
import * as statements from './sql.ts'

export const paymentsModule: Module = {
  name: 'payments',
  routes: paymentRoutes,
  timers: () => [expiry],
  async start(services: Services) {
    if (services.config.sandbox) sandboxProcessor(services).notifier.start()
  },
  async stop(services: Services) {
    if (services.config.sandbox) await sandboxProcessor(services).notifier.stop()
  },
}

/** A payment that nobody made, or whose request a crash cut off; a confirmation that comes later still counts. */
const expiry: Timer = {
  name: 'payment expiry', table: 'payments_intent', column: 'expires_at', where: part`status = 'PENDING'`,
  async act(tx, id) {
    const intent = await tx.one(statements.lockIntent(id))
    if (intent.status === 'PENDING') await end(tx, intent, { event: 'expire', by: 'timer', code: 'expired', message: 'The payment was not made in time' })
  },
}
