import { errorTable } from '#platform/kernel/errors'

/** Refusals of a card processor, of either adapter. */
export const PROCESSOR = errorTable({
  PROCESSOR_REFUSED: [400, 'Refused by the card processor'],
  PROCESSOR_OBJECT_NOT_FOUND: [404, 'Not found at the card processor'],
  PROCESSOR_STATE_CONFLICT: [409, 'The card processor does not allow this now'],
})
