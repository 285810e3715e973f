import { errorTable } from '#platform/kernel/errors'

export const RATINGS = errorTable({
  REVIEW_NOT_FOUND: [404, 'Review not found'],
  DEAL_RATED: [409, 'Deal already rated'],
  REVIEW_ANSWERED: [409, 'Review already answered'],
  SELF_DEAL_NOT_RATED: [403, 'Deals with yourself cannot be rated'],
})
