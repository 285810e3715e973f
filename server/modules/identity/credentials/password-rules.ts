import { invalid } from '#platform/kernel/errors'
import { isWeakPassword } from '#platform/kernel/password/weak-password'
import type { Services } from '#platform/kernel/services'
import { isBreachedPassword } from './breached.ts'

const WEAK =
  'it is too easy to guess (a common password, a keyboard row, or derived from your address or name), choose another'
const BREACHED = 'it is in a list of leaked passwords, choose another'

/**
 * Refuses a password that is guessed first, or that is known to be leaked, in production mode; in sandbox mode only says so.
 * `about` is what others know of the account: its addresses and names. May wait for another service: call it outside a
 * transaction.
 */
export async function passwordWarnings(
  password: string,
  services: Pick<Services, 'config' | 'log'>,
  { field = 'password', about = [] }: { field?: string; about?: readonly (string | null | undefined)[] } = {},
): Promise<string[]> {
  const advice = await adviceOn(password, services, about)
  if (!advice) return []
  if (!services.config.sandbox) throw invalid(`${field}: ${advice}`)
  return [`${field}: ${advice} (refused in production mode)`]
}

async function adviceOn(
  password: string,
  services: Pick<Services, 'config' | 'log'>,
  about: readonly (string | null | undefined)[],
): Promise<string | null> {
  const known = about.filter(text => typeof text === 'string')
  if (isWeakPassword(password, known)) return WEAK
  return (await isBreachedPassword(services, password)) ? BREACHED : null
}
