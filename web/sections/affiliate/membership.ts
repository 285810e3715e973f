import { $api } from '../../api/client.ts'

/** The affiliate profile of the account, if it has one: other operations of affiliates are 404 without. */
export const useMembership = () => $api.useQuery('get', '/affiliates/membership', {})
