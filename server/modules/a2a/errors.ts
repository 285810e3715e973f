import { errorTable } from '#platform/kernel/errors'

export const A2A = errorTable({
  REQUEST_NOT_FOUND: [404, 'A2A request not found'],
})
