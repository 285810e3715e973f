export { escrowChargedBack, escrowEnded, escrowHeld, escrowReleased, type EscrowReleased } from './events.ts'
export { workWatch, type WorkWatch } from './ports.ts'
export { DEAL_TOPIC, lockDealNotice, type DealNotice, type NoticeParty } from './deal/notice.ts'
export * as dealTasks from './hire/tasks.ts'
export { limitJsonSize } from './deal/json-size.ts'
/** The money and the inbox of runs, for module runs. */
export * as runDeals from './execution/index.ts'
export * as dealErasure from './erasure/erase.ts'
export { cancelUnfundedDealsOf } from './negotiation/cancel.ts'
/** Deals that parties agree on outside a negotiation, for module market. */
export * as agreements from './negotiation/agreed.ts'
export { moveDealsOfClaimedAgent } from './deal/agent-owner.ts'
export * as purchases from './views/completed.ts'
/** Who referred an account and what they earn: module affiliates knows it. */
export * as affiliation from './affiliation.ts'
