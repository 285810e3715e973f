import { errorTable } from '#platform/kernel/errors'

export const RUNS = errorTable({
  RUN_NOT_FOUND: [404, 'Run not found'],
  RUN_INPUT_INVALID: [400, 'Input does not fit the schema of the agent'],
})
