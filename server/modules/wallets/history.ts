export { agentMovements } from './owner.ts'
export { walletAndTransaction } from './statement.ts'
