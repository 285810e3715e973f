export { agentMovements } from './owner.ts'
export { walletAndTransaction, walletChangedBy } from './statement.ts'
