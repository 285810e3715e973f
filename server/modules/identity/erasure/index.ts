export { deletedAmong, eraseAccount, lockAgainstDeletion, lockToErase } from './erase.ts'
export { isDeletedParty } from './sql.ts'
