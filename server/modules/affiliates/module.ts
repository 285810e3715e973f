import { affiliation, escrowChargedBack, escrowEnded, escrowHeld } from '#ap2'
import { accountEvents } from '#identity'
import { openWork } from '#overview'
import { COMMON } from '#platform/kernel/errors'
import { defineModule } from '#platform/kernel/module'
import { part } from '#platform/kernel/sql'
import { commissionChecks } from './commission/check.ts'
import {
  clawBackCommissionOfChargedBackEscrow,
  endUndecidedFraud,
  vestCommission,
} from './commission/clawback.ts'
import * as earning from './commission/earn.ts'
import { endMonth } from './commission/month.ts'
import { commissionRoutes } from './commission/routes.ts'
import { countFraudHolds } from './commission/sql.ts'
import { AFFILIATES } from './errors.ts'
import { bindReferralOfNewAccount, Referrals } from './referral.ts'
import { affiliateRoutes } from './routes.ts'
import { countApplications } from './sql.ts'

export default defineModule({
  name: 'affiliates',
  constraints: {
    affiliates_profile_one_per_account: { ...COMMON.CONFLICT, message: 'Already an affiliate' },
    affiliates_profile_code_taken: AFFILIATES.REFERRAL_CODE_TAKEN,
  },
  ledgerChecks: commissionChecks,
  create(services) {
    const referrals = new Referrals(services.clock)
    return {
      subscribes: [
        accountEvents.accountCreated.with(bindReferralOfNewAccount),
        escrowHeld.with(earning.expectCommissionOfHeldEscrow),
        escrowEnded.with(earning.cancelCommissionOfEndedEscrow),
        escrowChargedBack.with(clawBackCommissionOfChargedBackEscrow),
      ],
      provides: [
        affiliation.commissionLegs.with(earning.commissionLegs),
        affiliation.referralOf.with((q, accountId) => referrals.metaOf(q, accountId)),
        openWork.with('affiliateReviews', async q => (await q.one(countApplications())).count),
        openWork.with('fraudHolds', async q => (await q.one(countFraudHolds())).count),
      ],
      timers: [
        {
          name: 'commission hold period',
          table: 'affiliates_commission',
          column: 'due_at',
          where: part`status = 'PENDING'`,
          run: vestCommission,
        },
        {
          name: 'commission fraud decision',
          table: 'affiliates_commission',
          column: 'due_at',
          where: part`status = 'FRAUD_HOLD'`,
          run: endUndecidedFraud,
        },
        {
          name: 'affiliate month',
          table: 'affiliates_profile',
          column: 'month_ends_at',
          where: part`month_ends_at is not null`,
          run: (tx, id) => endMonth(services, tx, id),
        },
      ],
      routes(app) {
        affiliateRoutes(app, services)
        commissionRoutes(app, services)
      },
    }
  },
})
