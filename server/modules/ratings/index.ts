export { eraseRatingTextOf } from './rating.ts'
