import { randomInt } from 'node:crypto'
import type { Queryable } from '#platform/kernel/db'
import { apiError, invalid, type ApiError } from '#platform/kernel/errors'
import { IDENTITY } from '../errors.ts'
import { takenUsernames } from './sql.ts'

const FORM = /^[a-z0-9_]{3,20}$/
const ANY_CASE = /^[A-Za-z0-9_]{3,20}$/
const LENGTH_MAX = 20
const SUGGESTED = 3

/** Names that nobody gets: what could be taken for the operator, and the service's own name. */
const RESERVED = new Set([
  'admin',
  'administrator',
  'api',
  'system',
  'root',
  'support',
  'help',
  'moderator',
  'mod',
  'staff',
  'owner',
  'test',
  'demo',
  'null',
  'undefined',
  'anonymous',
  'user',
  'agent',
  'bot',
  'svc',
  'service',
  'marketplace',
])

/** Whether a name of any kind could be taken for the operator. */
export const isReserved = (name: string): boolean => RESERVED.has(name.toLowerCase())

/** Refuses a username to register that is malformed or reserved, 400. */
export function requireUsername(username: string): void {
  if (!FORM.test(username))
    throw invalid('username must have 3 to 20 characters: lowercase letters, digits, underscores')
  if (isReserved(username)) throw invalid(`username ${username} is reserved`)
}

/** Whether a username, in any case, could be registered now; with free ones near it when not. Malformed is a 400. */
export async function checkUsername(
  q: Queryable,
  given: string,
): Promise<{ available: boolean; suggestions?: string[] }> {
  // Check the original text: lower-casing turns some other characters into ASCII letters (the Kelvin sign).
  if (!ANY_CASE.test(given))
    throw invalid('username must have 3 to 20 characters: letters, digits, underscores')
  const username = given.toLowerCase()
  // What is near a reserved name is offered to nobody: it would pass for the operator.
  if (isReserved(username)) return { available: false, suggestions: [] }
  const taken = (await q.rows(takenUsernames([username]))).length > 0
  return taken ? { available: false, suggestions: await suggestUsernames(q, username) } : { available: true }
}

/** The 409 of a taken username, with free ones. */
export const usernameTaken = async (
  q: Queryable,
  username: string,
  row = IDENTITY.USERNAME_TAKEN,
): Promise<ApiError> => apiError(row, { fields: { suggestions: await suggestUsernames(q, username) } })

async function suggestUsernames(q: Queryable, username: string): Promise<string[]> {
  const endings = ['_1', '_2', '_3', ...Array.from({ length: 6 }, () => `_${randomInt(1000, 100_000)}`)]
  const candidates = endings.map(ending => username.slice(0, LENGTH_MAX - ending.length) + ending)
  const taken = new Set((await q.rows(takenUsernames(candidates))).map(row => row.username))
  return candidates.filter(candidate => !taken.has(candidate)).slice(0, SUGGESTED)
}
