export { eraseRatingTextOf, recountRatings } from './rating.ts'
