import { errorTable } from '#platform/kernel/errors'

export const KEYS = errorTable({
  ROUTING_KEY_NOT_FOUND: [404, 'Routing key not found'],
  TOO_MANY_ROUTING_KEYS: [409, 'Too many routing keys'],
})
