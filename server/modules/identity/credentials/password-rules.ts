import type { Config } from '#platform/kernel/config'
import { invalid } from '#platform/kernel/errors'
import { isWeakPassword } from '#platform/kernel/password/weak-password'

const ADVICE =
  'it is too easy to guess (a common password, a keyboard row, or derived from your address or name), choose another'

/**
 * Refuses a password that is guessed first in production mode; in sandbox mode only says so. `about` is what others
 * know of the account: its addresses and names.
 */
export function passwordWarnings(
  password: string,
  { sandbox }: Config,
  { field = 'password', about = [] }: { field?: string; about?: readonly (string | null | undefined)[] } = {},
): string[] {
  const known = about.filter(text => typeof text === 'string')
  if (!isWeakPassword(password, known)) return []
  if (!sandbox) throw invalid(`${field}: ${ADVICE}`)
  return [`${field}: ${ADVICE} (refused in production mode)`]
}
