import { integer, list, url, WEB } from './kinds.ts'

/** How the routing gateway calls providers. */
export const gatewaySettings = {
  MODEL_PRICES_URL: url(
    'Where POST /v1/routing/admin/sync-models reads changes of model prices if its body has none: JSON as in that body.',
    true,
    WEB,
  ),
  GATEWAY_FIRST_BYTE_MS: integer(
    60_000,
    10,
    3_600_000,
    'How long the gateway waits for the first byte of a stream before it tries another model.',
  ),
  GATEWAY_TOTAL_MS: integer(
    600_000,
    10,
    3_600_000,
    'How long a request to a model may take, retries and fallbacks included.',
  ),
  GATEWAY_DEADLINES: list(
    'Other deadlines of single models: model=first byte/total in milliseconds, such as gpt-5.2-pro=120000/900000.',
  ),
  GATEWAY_ACCOUNT_PARALLEL: integer(
    256,
    1,
    100_000,
    'Requests of one account to models at the same time, on each instance. A provider has 512 connections for all.',
  ),
  GATEWAY_RETRIES: integer(2, 0, 10, 'Further attempts at a model that fails, before its fallbacks.'),
  GATEWAY_CACHE_MB: integer(16, 0, 10_000, 'Memory of the response cache, for keys that ask for it.'),
}
