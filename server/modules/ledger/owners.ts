// What the ledger holds of one owner among many: memos, and shares of an account that several have.
export { eraseMemosBy } from './erase.ts'
export { referencedSums } from './statement.ts'
