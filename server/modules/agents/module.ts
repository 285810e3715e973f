import type { Module } from '#platform/services'
import { AGENTS } from './faults.ts'
import { adminRoutes } from './routes/admin.ts'
import { badgeRoutes } from './routes/badge.ts'
import { claimRoutes } from './routes/claim.ts'
import { keyRoutes } from './routes/keys.ts'
import { listingRoutes } from './routes/listing.ts'
import { listRoutes } from './routes/lists.ts'
import { presenceRoutes } from './routes/presence.ts'

export const agentsModule: Module = {
  name: 'agents',
  constraints: { agents_agent_slug_taken: AGENTS.SLUG_TAKEN },
  routes(app, services) {
    claimRoutes(app, services)
    listRoutes(app, services)
    listingRoutes(app, services)
    keyRoutes(app, services)
    badgeRoutes(app, services)
    presenceRoutes(app, services)
    adminRoutes(app, services)
  },
}
