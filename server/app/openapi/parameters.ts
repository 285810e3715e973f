import { PATH_IDS, SOME_ID } from './examples/requests.ts'
import type { Operation } from './model.ts'

/** Descriptions of parameters that declare none, by name. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  agentId: 'Id of the agent',
  userId: 'Id of the account',
  walletId: 'Id of the wallet',
  ownerType: 'Whose wallets; USER by default',
  deliveryId: 'Id of the delivery',
  runId: 'Id of the run',
  token: 'Token of the link',
  username: 'Username to check',
  category: 'Only agents of this category',
  tag: 'Only agents with this tag',
  status: 'Only items in this state',
  visibility: 'Only agents with this visibility',
  conduit: 'Only agents on this integration',
  creatorId: 'Only agents that this account created',
  filterRole: 'Only agents in this role',
  role: 'Only deals in which the caller is the buyer, or the seller',
  action: 'Only events of this action, such as `agent.claimed`',
  actorId: 'Only events caused by this account',
  targetId: 'Only events about this object',
  from: 'Only events at or after this time',
  to: 'Only events before this time',
  state: 'State that the sign-in started with',
  code: 'Authorization code of the provider',
  error: 'Error of the provider',
  referralSource: 'Code of the affiliate who referred the person',
}

/** Completes the parameters of an operation: a description for each, an example where one is required. */
export function describeParameters({ parameters = [] }: Operation, path: string): void {
  const [, id, noun] = PATH_IDS.find(([prefix]) => path.startsWith(prefix)) ?? ['', SOME_ID, 'object']
  for (const parameter of parameters) {
    if (parameter.$ref) continue
    const { name = '' } = parameter
    const generic =
      name === 'id' || parameter.description === 'Id (UUIDv7)' ? undefined : parameter.description
    parameter.description =
      generic ??
      (name === 'id'
        ? `Id of the ${noun}`
        : name === 'slug'
          ? `Slug of the ${path.includes('/org') ? 'organization' : 'agent'}`
          : DESCRIPTIONS[name]) ??
      parameter.description
    if (name === 'id' && parameter.required) parameter.example ??= id
  }
}
