// What the ledger holds of one owner among many: memos, freezes, balances, movements and their sums, and shares of an account that several have.
export { eraseMemosBy, unfreezeClosedAccounts } from './erase.ts'
export { freezesOf, guardedBalancesOf, referencedSums, sentSince, type Entry } from './statement.ts'
export { totalsOf, UNITS, type Total, type TotalsQuery } from './totals.ts'
