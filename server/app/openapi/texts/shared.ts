export const STEP_UP =
  'Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.'
export const PAGE = 'Page through the list with `limit` and `offset`.'
