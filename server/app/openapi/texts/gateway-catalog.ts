import { STEP_UP } from './shared.ts'

const LIST =
  'The 15 chat models, cheapest first, with their prices in USD per million tokens without the fee, and whether they can be selected now. `virtual` has the names that stand for a selection, `embeddings` the models of `POST /v1/embeddings`.'

/** Descriptions of models and prices of the gateway, by operationId. */
export const GATEWAY_CATALOG: Readonly<Record<string, string>> = {
  listModels: LIST,
  listRoutingModels: `Alias of \`GET /v1/models\`. ${LIST}`,
  getModel:
    'A chat model, an embedding model, or a virtual model such as `svc/budget`, whose slash may be sent as it is or as `%2F`.',
  syncModels: `Checks each change, and applies those that pass: \`cacheRead\` <= \`input\` <= \`cacheWrite\`, the input price within the band of the tier, no price more than ten times higher or lower than before, \`validFrom\` not in the past. A change is valid in five seconds at the earliest. The others are in \`rejected\`. What a change does not state remains; cache prices that are not stated stay in proportion to \`input\`. Without \`changes\` those of MODEL_PRICES_URL are taken; without that setting the current prices are checked. 502 if the URL gives no list of changes. Changes in the body: ${STEP_UP}`,
}
