export { chargeBudget } from './charge.ts'
export { updateReturned } from './sql.ts'
