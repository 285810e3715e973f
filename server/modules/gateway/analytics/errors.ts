import { errorTable } from '#platform/kernel/errors'

export const ANALYTICS = errorTable({
  GENERATION_NOT_FOUND: [404, 'Generation not found'],
})
