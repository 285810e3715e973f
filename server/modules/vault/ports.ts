import type { RequestContext } from '#platform/http/principal'
import type { Queryable } from '#platform/kernel/db'
import { definePort } from '#platform/kernel/ports'

/** What a caller who is not the holder of an artifact may see of it: nothing, its metadata, or its content. */
export const artifactAccess = definePort<
  { artifactId: string; ctx: RequestContext },
  'none' | 'metadata' | 'content',
  Queryable
>('vault.artifact-access', 'collect')

/** Those of some deliveries whose deal between two owners has ended: their files do not count for a quota. */
export const endedDeliveries = definePort<{ deliveryIds: readonly string[] }, string[], Queryable>(
  'vault.ended-deliveries',
  'collect',
)
