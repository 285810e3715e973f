import { $api } from '../../api/client.ts'

export const useAgent = (id: string) => $api.useQuery('get', '/agents/{id}', { params: { path: { id } } })

/** The newest agents of the account, for choices; the list of agents shows all. */
export const useMyAgents = () =>
  $api.useQuery('get', '/agents/my-agents', { params: { query: { limit: 100 } } })

export const useWalletsOf = (agentId: string) =>
  $api.useQuery('get', '/wallets/agent/{agentId}', { params: { path: { agentId } } })
