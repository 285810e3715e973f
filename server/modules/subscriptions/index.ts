export { endSubscriptionOfDeletedAccount } from './cancel.ts'
export { PLANS } from './plans.ts'
