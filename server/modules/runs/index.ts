export { eraseRunTextOf } from './erase.ts'
