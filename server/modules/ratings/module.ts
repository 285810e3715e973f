import { defineModule } from '#platform/kernel/module'
import { RATINGS } from './errors.ts'
import { ratingRoutes } from './routes.ts'

export default defineModule({
  name: 'ratings',
  constraints: { ratings_rating_one_per_deal: RATINGS.DEAL_RATED },
  create: services => ({ routes: app => ratingRoutes(app, services) }),
})
