import { ACCOUNTS } from './accounts.ts'
import { AFFILIATES } from './affiliates.ts'
import { AGENTS } from './agents.ts'
import { CERTIFICATIONS } from './certifications.ts'
import { DEALS } from './deals.ts'
import { GATEWAY_ANALYTICS } from './gateway-analytics.ts'
import { GATEWAY_CALLS } from './gateway-calls.ts'
import { GATEWAY_CATALOG } from './gateway-catalog.ts'
import { GATEWAY_ROUTING } from './gateway-routing.ts'
import { GATEWAY_KEYS } from './gateway-keys.ts'
import { GATEWAY_SURFACES } from './gateway-surfaces.ts'
import { MARKET } from './market.ts'
import { OPERATIONS } from './operations.ts'
import { PAYOUTS } from './payouts.ts'
import { RUNS } from './runs.ts'

/** Descriptions of the operations that declare none with their route, by operationId. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...ACCOUNTS,
  ...AFFILIATES,
  ...AGENTS,
  ...CERTIFICATIONS,
  ...DEALS,
  ...GATEWAY_ANALYTICS,
  ...GATEWAY_CALLS,
  ...GATEWAY_CATALOG,
  ...GATEWAY_ROUTING,
  ...GATEWAY_KEYS,
  ...GATEWAY_SURFACES,
  ...MARKET,
  ...OPERATIONS,
  ...PAYOUTS,
  ...RUNS,
}
