export { createTestDatabase, withDatabase, type TestDatabase } from './database.ts'
export { openTestDb, type TestDb } from './db.ts'
