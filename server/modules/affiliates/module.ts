import { accountCreated } from '#identity'
import { COMMON } from '#platform/kernel/errors'
import { defineModule } from '#platform/kernel/module'
import { AFFILIATES } from './errors.ts'
import { bindReferralOfNewAccount } from './referral.ts'
import { affiliateRoutes } from './routes.ts'

export default defineModule({
  name: 'affiliates',
  constraints: {
    affiliates_profile_one_per_account: { ...COMMON.CONFLICT, message: 'Already an affiliate' },
    affiliates_profile_code_taken: AFFILIATES.REFERRAL_CODE_TAKEN,
  },
  create: services => ({
    subscribes: [accountCreated.with(bindReferralOfNewAccount)],
    routes: app => affiliateRoutes(app, services),
  }),
})
