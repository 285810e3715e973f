export { endPayoutsOf, endPayoutsOfClaimedAgent } from './end.ts'
export { payoutOfTransfer } from './payout/history.ts'
