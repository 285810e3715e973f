import { agentStats } from '#agents'
import { defineModule } from '#platform/kernel/module'
import { part } from '#platform/kernel/sql'
import { endMarketOfArchivedAgent } from './agent-owner.ts'
import { MARKET } from './errors.ts'
import { expireNeed } from './need.ts'
import { expireOffer } from './offer.ts'
import { needRoutes, offerRoutes } from './routes.ts'

export default defineModule({
  name: 'market',
  constraints: { market_offer_one_open: MARKET.OFFER_EXISTS },
  create: services => ({
    subscribes: [agentStats.agentArchived.with(endMarketOfArchivedAgent)],
    timers: [
      {
        name: 'need without a match',
        table: 'market_need',
        column: 'deadline',
        where: part`status = 'OPEN'`,
        run: expireNeed,
      },
      {
        name: 'offer not accepted',
        table: 'market_offer',
        column: 'expires_at',
        where: part`status = 'OPEN'`,
        run: expireOffer,
      },
    ],
    routes(app) {
      needRoutes(app, services)
      offerRoutes(app, services)
    },
  }),
})
