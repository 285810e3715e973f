import type { Queryable } from '#platform/kernel/db'
import type { Principal } from '#platform/http/principal'
import { usableCredentials } from './live-sql.ts'

const idOf = (principal: Principal): string =>
  principal.via === 'session' ? principal.sessionId : principal.keyId

/**
 * Of callers whose request lasts, such as readers of a stream, those whose credential has ended since it was proved. One
 * statement for all of them.
 */
export async function withEndedCredential<Caller extends { principal: Principal }>(
  q: Queryable,
  callers: readonly Caller[],
  now: Date,
): Promise<Caller[]> {
  if (!callers.length) return []
  const idsOf = (isSession: boolean) => [
    ...new Set(
      callers
        .filter(({ principal }) => (principal.via === 'session') === isSession)
        .map(({ principal }) => idOf(principal)),
    ),
  ]
  const usable = await q.rows(usableCredentials({ keys: idsOf(false), sessions: idsOf(true) }, now))
  const ids = new Set(usable.map(({ id }) => id))
  return callers.filter(({ principal }) => !ids.has(idOf(principal)))
}
