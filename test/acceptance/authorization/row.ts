import { newId } from '../../../server/platform/kernel/id.ts'
import type { Prepare } from './targets.ts'
import type { Tenant, Fixtures } from './fixtures.ts'

/** The column `auth` of the contract in one word each; docs/API.md says which credentials a word takes. */
export type Word =
  | 'none'
  | 'jwt'
  | 'jwt-human'
  | 'admin'
  | 'service'
  | 'agent'
  | 'agent-key'
  | 'agent-key|jwt'
  | 'routing'
  | 'signature'
  | 'secret'

/** What those are answered whom the word admits. */
export interface Verdicts {
  own: number
  /** A key of the agent that the object is about; as `own` unless it says otherwise. */
  agent?: number
  /** `sk_` keys of the owner that were made for something else; as `others` unless it says otherwise. */
  bound?: number
  others: number
  admin: number
  /** For an unknown id. */
  unknown?: number
}

export interface Row {
  /** Method and path as in the OpenAPI document. */
  operation: string
  word: Word
  expect: Verdicts
  target?: Prepare
  query?: string
  body?: (ids: string[], fixtures: Fixtures, tenant: Tenant) => unknown
  /** Names among the probed fields that this operation takes by its contract. */
  settable?: readonly string[]
  /** Not called, the document alone is checked: its answer takes too long. */
  unasked?: true
}

type More = Partial<Omit<Row, 'operation' | 'word' | 'expect'> & Verdicts>

/** An operation on an object: `own` for its owner, 403 for others and admins, 404 for an unknown id. */
export function one(operation: string, word: Word, target: Prepare, more: More = {}): Row {
  const { own = 200, agent, bound, others = 403, admin = others, unknown = 404, ...rest } = more
  return { operation, word, target, expect: { own, agent, bound, others, admin, unknown }, ...rest }
}

/** An operation that answers everybody alike whom its word admits. */
export function all(
  operation: string,
  word: Word,
  status = 200,
  { bound, ...rest }: Omit<More, Exclude<keyof Verdicts, 'bound'>> = {},
): Row {
  return { operation, word, expect: { own: status, bound, others: status, admin: status }, ...rest }
}

/** An operation of admins, on an object or on none. */
export function byAdmin(operation: string, status = 200, rest: Omit<More, keyof Verdicts> = {}): Row {
  const unknown = rest.target ? 404 : undefined
  return { operation, word: 'admin', expect: { own: 403, others: 403, admin: status, unknown }, ...rest }
}

/** Admins decide disputes, so they read every deal. */
export const READ = { admin: 200 }

/** Values that no honest caller sends; `status` last, for where it is ignored the call takes effect. */
export const PROBES: Record<string, unknown> = {
  trustTier: 'TRUSTED',
  trustScore: 99,
  balance: '1000000.00',
  creatorId: newId(),
  verified: true,
  role: 'ADMIN',
  ownerId: newId(),
  claimedById: newId(),
  feeBps: 0,
  held: '0.00',
  status: 'TRUSTED',
}
