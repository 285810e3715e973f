import type { Config } from '#platform/config'
import { invalid } from '#platform/fault'
import { isWeakPassword } from '#platform/weak-password'

const ADVICE =
  'it is too easy to guess (a common password, keys in a row, or made of the own address or name), choose another'

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
