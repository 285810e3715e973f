export { eraseGrantsOf } from './token.ts'
