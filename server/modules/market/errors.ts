import { apiError, COMMON, errorTable, type ApiError } from '#platform/kernel/errors'

export const MARKET = errorTable({
  NEED_NOT_FOUND: [404, 'Need not found'],
  OFFER_NOT_FOUND: [404, 'Offer not found'],
  OFFER_EXISTS: [409, 'Offer already exists'],
  TOO_MANY_NEEDS: [409, 'Too many open needs'],
  OFFER_ABOVE_BUDGET: [400, 'Offer above the budget'],
})

/** 409 `Cannot <action> while <STATUS>`. */
export const cannot = (action: string, status: string): ApiError =>
  apiError({ ...COMMON.STATE_CONFLICT, message: `Cannot ${action} while ${status}` }, { details: { status } })
