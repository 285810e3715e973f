import { STEP_UP } from './shared.ts'

const CREATE =
  'Creates an `rk_` key for `/v1/chat/completions` and the other operations of the gateway. The response is the only one with the key. ' +
  'Limits that are left out do not apply. In sandbox mode the first key of an account comes with 5 USD of routing test credit. ' +
  `409 when 100 keys are active. ${STEP_UP}`
const LIST =
  'Your active keys first, the newest first, without the text of the keys. Revoked keys stay in the list.'

/** Descriptions of routing keys and routing configuration, by operationId. */
export const GATEWAY_KEYS: Readonly<Record<string, string>> = {
  createRoutingKey: CREATE,
  createRoutingKeyByAlias: CREATE,
  listRoutingKeys: LIST,
  listRoutingKeysByAlias: LIST,
  listRoutingKeysByLegacyAlias: LIST,
  updateRoutingKey:
    'Changes only the fields and limits that are given; null removes a limit. The change applies within a second. 403 for a key of another account, 404 for an unknown one, 409 for a revoked one. ' +
    `A change that lets the key do more than before requires step-up. ${STEP_UP}`,
  revokeRoutingKey:
    'The key is refused within a second, for good. A repeated request has the same response. 403 for a key of another account, 404 for an unknown one.',
  getRoutingKeyUsage:
    'The key that sent the request, with its limits and what it has cost today, this week (from Monday) and this month, in UTC and with fee. Costs appear within a second of the end of a request.',
  getRoutingConfig:
    'How the gateway selects models for all your routing keys: what you set, and the defaults.',
  updateRoutingConfig:
    'Changes only the fields that are given, for all your routing keys; null restores a default. The change applies within a second. ' +
    '400 for an unknown model, for a model in both `allow` and `deny`, and if `thresholds.mid` is above `thresholds.premium`.',
}
