export { a2aRequested, a2aRequestEnded } from './events.ts'
export { eraseA2aTextOf } from './erase.ts'
