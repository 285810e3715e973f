import './statuses.ts'
export { assertNoSecretIn, dumpOf, rememberCall, rememberSecret, secretsSeen } from './canary.ts'
export { startBrowser, type TestBrowser } from './browser.ts'
export { createTestDatabase, withDatabase, type TestDatabase } from './database.ts'
export { openTestDb, type TestDb } from './db.ts'
export { call, freePort, startTestService, type Answer, type CallOptions, type Instance, type TestService } from './service.ts'
export { fund, publishAgent, registerHuman, type ListedAgent, type Person } from './people.ts'
export { startServerProcess, type ServerProcess } from './process.ts'
export {
  acceptedDeal, as, deliveredDeal, heldDeal, must, negotiate, openMarket, readDeal, readEscrow, type DealView, type EscrowView, type Market, type Role,
} from './deals.ts'
export { statementsOf } from './statements.ts'
export { linkTo, mailsSettled, mailsTo, mailTo, type SentMail } from './mail.ts'
export { openLine, type Line } from './line.ts'
