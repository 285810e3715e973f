export { compareEvents, type EventSubject } from './events.ts'
export { Lines, unknownAmong } from './lines.ts'
export { orIncomplete, readStatement, type Statement } from './statement.ts'
export type { Movement } from '../processors/statement-port.ts'
