import { addReservation } from '#wallets'
import type { Module } from '#platform/services'
import { ap2Constraints } from './faults.ts'
import { adminRoutes } from './routes/admin.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { disputeRoutes } from './routes/disputes.ts'
import { escrowRoutes } from './routes/escrows.ts'
import { negotiationRoutes } from './routes/negotiations.ts'
import { reservedOf } from './sql.ts'
import { ap2Jobs, ap2Timers } from './timers.ts'

// What a buyer has in escrow is still the buyer's.
addReservation(async (q, walletIds, asset) => new Map((await q.rows(reservedOf(walletIds, asset))).map(row => [row.wallet_id, row.reserved])))

export const ap2Module: Module = {
  name: 'ap2',
  constraints: ap2Constraints,
  timers: ap2Timers,
  jobs: ap2Jobs,
  routes(app, services) {
    negotiationRoutes(app, services)
    escrowRoutes(app, services)
    deliveryRoutes(app, services)
    disputeRoutes(app, services)
    adminRoutes(app, services)
  },
}
