import { $api } from './client.ts'

/** The organizations of the person, as many as the API lists at once; not asked for where `enabled` is false. */
export const useOrganizations = (enabled = true) =>
  $api.useQuery('get', '/organizations', { params: { query: { limit: 100 } } }, { enabled })
