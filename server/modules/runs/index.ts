export { runAwaitsApproval, runCreated, runEnded, runSettled } from './events.ts'
export { eraseRunTextOf } from './erase.ts'
export { moveRunsOfClaimedAgent } from './run.ts'
