import { escrowChargedBack } from '#ap2'
import { accountEvents } from '#identity'
import { defineModule } from '#platform/kernel/module'
import { RATINGS } from './errors.ts'
import { discountRatingOfChargedBackDeal, noteAuthor } from './rating.ts'
import { ratingRoutes } from './routes.ts'

export default defineModule({
  name: 'ratings',
  constraints: { ratings_rating_one_per_deal: RATINGS.DEAL_RATED },
  create: services => {
    const testCounts = services.config.sandbox
    return {
      routes: app => ratingRoutes(app, services),
      subscribes: [
        escrowChargedBack.with(discountRatingOfChargedBackDeal({ testCounts })),
        accountEvents.accountSuspended.with(noteAuthor({ isSuspended: true, testCounts })),
        accountEvents.accountReinstated.with(noteAuthor({ isSuspended: false, testCounts })),
      ],
    }
  },
})
