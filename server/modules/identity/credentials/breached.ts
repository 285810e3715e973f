import { hash } from 'node:crypto'
import { SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'

/** Digits of the hash that leave this machine: about a thousand leaked passwords have them in common. */
const PREFIX_LENGTH = 5
const TIMEOUT = 2 * SECOND

/**
 * Whether the service at `BREACHED_PASSWORDS_URL` lists the password (the range API of Have I Been Pwned). It receives the
 * first five hex digits of the SHA-1 and answers with the other digits of each listed password. False without the setting,
 * and while that service does not respond, so that passwords can still be changed.
 */
export async function isBreachedPassword(
  { config, log }: Pick<Services, 'config' | 'log'>,
  password: string,
): Promise<boolean> {
  if (!config.BREACHED_PASSWORDS_URL) return false
  const digest = hash('sha1', password, 'hex').toUpperCase()
  try {
    const response = await fetch(`${config.BREACHED_PASSWORDS_URL}/${digest.slice(0, PREFIX_LENGTH)}`, {
      // Added entries that are not real hide the length of the answer from readers of the encrypted traffic.
      headers: { 'Add-Padding': 'true' },
      signal: AbortSignal.timeout(TIMEOUT),
    })
    if (!response.ok) throw new Error(`the status is ${response.status}`)
    return lists(await response.text(), digest.slice(PREFIX_LENGTH))
  } catch (error) {
    log.warn({ err: error }, 'the list of leaked passwords does not respond, a password was not checked')
    return false
  }
}

/** Lines of `REST:COUNT`; padding has the count 0. */
const lists = (text: string, rest: string): boolean =>
  text.split('\n').some(line => {
    const [suffix, count] = line.trim().split(':')
    return suffix?.toUpperCase() === rest && Number(count) > 0
  })
