export { runAwaitsApproval, runCreated, runEnded } from './events.ts'
export { eraseRunTextOf } from './erase.ts'
export { moveRunsOfClaimedAgent } from './run.ts'
