import { IDENTITY, accountEvents, agentBinding, credentials, serviceAccounts } from '#identity'
import { openWork } from '#overview'
import { walletPorts } from '#wallets'
import { defineModule } from '#platform/kernel/module'
import { adminRoutes } from './listing/admin-routes.ts'
import { badgeRoutes } from './presence/badge-routes.ts'
import { agentKeysRevoked } from './events.ts'
import { endClaimLinksOfAccount, endClaimLinksOfAgent, hasOpenClaimLink } from './keys/claim.ts'
import { endAgentSecretsOfClaimedAccount } from './keys/claimed-account.ts'
import { noteOwner, requireBindable } from './listing/listing.ts'
import { archiveGuard, frozenEscrows, lockBeforeAgent } from './ports.ts'
import { claimRoutes } from './keys/claim-routes.ts'
import { keyRoutes } from './keys/routes.ts'
import { listingRoutes } from './listing/routes.ts'
import { listRoutes } from './listing/list-routes.ts'
import { noteSeenAgent } from './presence/presence.ts'
import { presenceRoutes } from './presence/routes.ts'
import { countInReview } from './search/sql.ts'

export default defineModule({
  name: 'agents',
  constraints: { agents_agent_slug_taken: IDENTITY.SLUG_TAKEN },
  ports: [lockBeforeAgent, archiveGuard, frozenEscrows],
  create: services => ({
    subscribes: [
      accountEvents.accountClaimed.with((tx, claimed) =>
        endAgentSecretsOfClaimedAccount(tx, services, claimed),
      ),
      accountEvents.accountSuspended.with(noteOwner({ isSuspended: true })),
      accountEvents.accountReinstated.with(noteOwner({ isSuspended: false })),
      credentials.linksEnded.with(endClaimLinksOfAccount),
      credentials.accountKeyNarrowed.with(endClaimLinksOfAccount),
      agentKeysRevoked.with(endClaimLinksOfAgent),
      serviceAccounts.agentKeyUsed.with(noteSeenAgent),
    ],
    provides: [
      agentBinding.with(requireBindable),
      walletPorts.isClaimable.with(hasOpenClaimLink),
      openWork.with('agentReviews', async q => (await q.one(countInReview())).count),
    ],
    routes(app) {
      claimRoutes(app, services)
      listRoutes(app, services)
      listingRoutes(app, services)
      keyRoutes(app, services)
      badgeRoutes(app)
      presenceRoutes(app, services)
      adminRoutes(app, services)
    },
  }),
})
