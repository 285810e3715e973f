import type { Row, Word } from './row.ts'
import type { Target } from './targets.ts'
import type { Tenant, Fixtures } from './fixtures.ts'

type Kind = 'jwt' | 'sk' | 'sa' | 'rk'

/** Which credentials each word takes, as the interface says. */
const TAKES: Record<Word, readonly Kind[]> = {
  none: [],
  signature: [],
  secret: [],
  jwt: ['jwt'],
  'jwt-human': ['jwt'],
  admin: ['jwt'],
  service: ['jwt', 'sk'],
  agent: ['jwt', 'sk', 'sa'],
  'agent-key': ['sk', 'sa'],
  'agent-key|jwt': ['sk', 'sa', 'jwt'],
  routing: ['rk'],
}

export interface Caller {
  kind: Kind | 'no credential'
  /** What is wrong with the credential itself, as a status. */
  refused?: 401 | 403
  who: 'own' | 'agent' | 'bound' | 'others' | 'admin'
  isAgentAccount?: true
  credential(fixtures: Fixtures, tenants: { own: Tenant; other: Tenant }, target: Target): string
}

export const CALLERS = {
  nobody: { kind: 'no credential', who: 'others', credential: () => '' },
  'malformed token': { kind: 'jwt', refused: 401, who: 'others', credential: () => 'not.a.token' },
  'malformed key': { kind: 'sk', refused: 401, who: 'others', credential: () => 'sk_nonsense' },
  'unknown key': { kind: 'sk', refused: 401, who: 'others', credential: ({ unknown }) => unknown.key },
  'expired token': { kind: 'jwt', refused: 401, who: 'others', credential: ({ expired }) => expired },
  'revoked key': { kind: 'sk', refused: 401, who: 'others', credential: ({ revoked }) => revoked.key },
  'revoked agent key': {
    kind: 'sa',
    refused: 401,
    who: 'others',
    credential: ({ revoked }) => revoked.agentKey,
  },
  'suspended account': {
    kind: 'jwt',
    refused: 403,
    who: 'others',
    credential: ({ suspended }) => suspended.token,
  },
  'suspended account by key': {
    kind: 'sk',
    refused: 403,
    who: 'others',
    credential: ({ suspended }) => suspended.key,
  },
  'unknown routing key': {
    kind: 'rk',
    refused: 401,
    who: 'others',
    credential: ({ unknown }) => unknown.routingKey,
  },
  'revoked routing key': {
    kind: 'rk',
    refused: 401,
    who: 'others',
    credential: ({ revoked }) => revoked.routingKey,
  },
  'suspended account by routing key': {
    kind: 'rk',
    refused: 403,
    who: 'others',
    credential: ({ suspended }) => suspended.routingKey,
  },
  'other human by routing key': { kind: 'rk', who: 'others', credential: (_, { other }) => other.routingKey },
  'owner by routing key': { kind: 'rk', who: 'own', credential: (_, { own }) => own.routingKey },
  'other human': { kind: 'jwt', who: 'others', credential: (_, { other }) => other.token },
  'other human by key': { kind: 'sk', who: 'others', credential: (_, { other }) => other.key },
  'other agent': { kind: 'sa', who: 'others', credential: (_, { other }) => other.agent.apiKey },
  'agent account': {
    kind: 'jwt',
    who: 'others',
    isAgentAccount: true,
    credential: ({ agentAccount }) => agentAccount,
  },
  admin: { kind: 'jwt', who: 'admin', credential: ({ admin }) => admin },
  agent: { kind: 'sa', who: 'agent', credential: (_, { own }, { agentKey }) => agentKey ?? own.agent.apiKey },
  'owner by a key for another agent': { kind: 'sk', who: 'bound', credential: (_, { own }) => own.agentKey },
  'owner by a key for an organization': {
    kind: 'sk',
    who: 'bound',
    credential: (_, { own }) => own.organizationKey,
  },
  'owner by key': { kind: 'sk', who: 'own', credential: (_, { own }, { ownerKey }) => ownerKey ?? own.key },
  owner: { kind: 'jwt', who: 'own', credential: (_, { own }) => own.token },
} satisfies Record<string, Caller>
export type CallerName = keyof typeof CALLERS

/** What the contract says that this caller is answered. */
export function expected({ word, expect }: Row, caller: Caller): string {
  const { [caller.who]: verdict = caller.who === 'bound' ? expect.others : expect.own } = expect
  const admitted = String(verdict)
  const takes = TAKES[word]
  // Where no credential is needed, a bad one is none, and a routing key proves nothing.
  if (!takes.length) return caller.refused || caller.kind === 'rk' ? String(expect.others) : admitted
  if (caller.kind === 'no credential') return '401'
  if (!takes.includes(caller.kind)) return '400 Invalid auth type'
  if (caller.refused) return String(caller.refused)
  if (word === 'admin' && caller.who !== 'admin') return '403'
  if (word === 'jwt-human' && caller.isAgentAccount) return '403'
  return admitted
}

const NAMES = Object.keys(CALLERS) as CallerName[]
const callerOf = (name: CallerName): Caller => CALLERS[name]

/** Whether everybody whom the word admits is answered alike: then who it is does not matter. */
const isAlike = ({ expect: { own, agent = own, others, bound = others, admin } }: Row): boolean =>
  new Set([own, agent, bound, others, admin]).size === 1

/**
 * Who calls each row. All call the first of each method and word. One hook proves the credentials of all operations
 * (server/app/http/auth.ts), so of the others a bad credential, one of a suspended account and one of each kind
 * that is not taken are enough, in turns.
 */
export function callersOf(rows: readonly Row[]): Map<Row, CallerName[]> {
  const seen = new Set<string>()
  return new Map(
    rows.map((row, at) => {
      const hook = `${row.operation.split(' ')[0]} ${row.word} ${isAlike(row)}`
      const isFirst = !seen.has(hook)
      seen.add(hook)
      return [row, isFirst ? NAMES : someOf(row, at)]
    }),
  )
}

/** Those whose answers the handler of the operation decides, and the `at`th of those that the hook decides. */
function someOf(row: Row, at: number): CallerName[] {
  const takes = TAKES[row.word]
  const inTurn = (names: CallerName[]) => names.filter((_, index) => index === at % names.length)
  const good = NAMES.filter(name => !callerOf(name).refused)
  const deciding = isAlike(row) ? [] : good.filter(name => !takes.length || isTaken(row, name))
  const badWith = (status: number) =>
    inTurn(NAMES.filter(name => callerOf(name).refused === status && isTaken(row, name)))
  const ofEachKind = (['jwt', 'sk', 'sa', 'rk'] as const).flatMap(kind =>
    inTurn((takes.includes(kind) ? good : NAMES).filter(name => callerOf(name).kind === kind)),
  )
  return [
    ...new Set<CallerName>(['nobody', 'owner', ...deciding, ...badWith(401), ...badWith(403), ...ofEachKind]),
  ]
}

const isTaken = ({ word }: Row, name: CallerName): boolean =>
  TAKES[word].some(kind => kind === callerOf(name).kind)

/** The security schemes of the OpenAPI document by what they carry. */
const SCHEMES: Record<string, Kind> = {
  accessToken: 'jwt',
  accountKey: 'sk',
  accountKeyAsBearer: 'sk',
  agentKey: 'sa',
  routingKey: 'rk',
}

/** Whether the document names exactly the kinds of credential that a word takes; an operation of no word may name some that are optional. */
export function takesAsDocumented({ word }: Row, security: readonly object[]): boolean {
  const named = new Set(security.flatMap(scheme => Object.keys(scheme)).map(scheme => SCHEMES[scheme]))
  const takes = TAKES[word]
  return (
    word === 'none' ||
    (takes.length ? takes.every(kind => named.has(kind)) && named.size === takes.length : !named.has('jwt'))
  )
}
