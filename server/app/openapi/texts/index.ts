import { ACCOUNTS } from './accounts.ts'
import { AGENTS } from './agents.ts'
import { DEALS } from './deals.ts'
import { OPERATIONS } from './operations.ts'

/** Descriptions of the operations that declare none with their route, by operationId. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = { ...ACCOUNTS, ...AGENTS, ...DEALS, ...OPERATIONS }
