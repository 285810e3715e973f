import { $api } from './client.ts'
import type { OwnAccount } from './schema.d.ts'
import { maySignedIn } from './session.ts'

/**
 * The account that is signed in; null if nobody is, undefined while this is not known. A later read that fails, such as one
 * without a network, signs nobody out. Where the session of the page ends, its forms stay: the shell says so.
 */
export function useMe(): OwnAccount | null | undefined {
  const { data, isError } = $api.useQuery(
    'get',
    '/users/me',
    {},
    { enabled: maySignedIn(), staleTime: 60_000 },
  )
  if (!maySignedIn() && !data) return null
  return data ?? (isError ? null : undefined)
}
