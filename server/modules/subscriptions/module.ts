import { chargebacks, paymentDestination, paymentFailed } from '#payments'
import { defineModule } from '#platform/kernel/module'
import { chargeBackSubscription } from './chargeback.ts'
import { subscriptionChecks } from './check.ts'
import { subscriptionsConstraints } from './errors.ts'
import { mailJob } from './mail.ts'
import { subscriptionDestination } from './payment.ts'
import { recognitionTimer } from './recognition.ts'
import { chargeJob, retryFailedPayment, subscriptionTimer } from './renewal.ts'
import { subscriptionRoutes } from './routes.ts'

export default defineModule({
  name: 'subscriptions',
  constraints: subscriptionsConstraints,
  ledgerChecks: subscriptionChecks,
  create: services => ({
    routes: app => subscriptionRoutes(app, services),
    timers: [subscriptionTimer(services), recognitionTimer],
    jobs: [chargeJob(services), mailJob(services)],
    subscribes: [paymentFailed.with(retryFailedPayment(services))],
    provides: [
      paymentDestination.with('SUBSCRIPTION', subscriptionDestination(services)),
      chargebacks.chargeback.with('SUBSCRIPTION', chargeBackSubscription),
    ],
  }),
})
