import type { Row } from '../row.ts'
import { analytics } from './analytics-rows.ts'
import { calls } from './calls-rows.ts'
import { catalog } from './catalog-rows.ts'
import { routing } from './routing-rows.ts'
import { surfaces } from './surfaces-rows.ts'
import { funds } from './funds-rows.ts'
import { routingKeys } from './keys-rows.ts'

/** The operations of the routing gateway. */
export const gateway: Row[] = [
  ...analytics,
  ...calls,
  ...surfaces,
  ...catalog,
  ...routing,
  ...funds,
  ...routingKeys,
]
