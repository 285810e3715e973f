import type { Asset } from '#platform/kernel/money'
import { anyOf, column, joined, json, part, sql, type SqlPart } from '#platform/kernel/sql'
import type { RunStatus } from './run-machine.ts'

export type RunPayment = 'FREE' | 'HELD' | 'RELEASED' | 'REFUNDED' | 'SPLIT'

/** A run as the table holds it. `price` in micro-units. */
export interface Run {
  id: string
  status: RunStatus
  agentId: string
  buyerAccountId: string
  buyerAgentId: string | null
  buyerOrganizationId: string | null
  price: bigint
  currency: Asset
  test: boolean
  escrowId: string | null
  negotiationId: string | null
  payment: RunPayment
  paymentDueAt: Date | null
  input: unknown
  output: unknown
  outputSchema: object | null
  errorCode: string | null
  errorMessage: string | null
  jobReference: string | null
  attempts: number
  callAt: Date | null
  deadlineAt: Date | null
  takenAt: Date | null
  startedAt: Date | null
  endedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** What the events of a run say; no text of a party. */
export const eventOf = (run: Run) => ({
  runId: run.id,
  agentId: run.agentId,
  buyerAgentId: run.buyerAgentId,
  buyerAccountId: run.buyerAccountId,
  buyerOrganizationId: run.buyerOrganizationId,
  status: run.status,
  price: run.price,
  currency: run.currency,
  test: run.test,
})

export interface Attempt {
  id: string
  runId: string
  number: number
  startedAt: Date
  endedAt: Date | null
  outcome: string | null
  httpStatus: number | null
  durationMs: number | null
  responseBytes: number | null
  responseSha256: string | null
}

const JSON_COLUMNS = new Set(['input', 'output', 'outputSchema'])
const valueOf = ([name, value]: [string, unknown]): SqlPart =>
  JSON_COLUMNS.has(name) && value !== null ? part`${json(value)}::jsonb` : part`${value}`

export const insertRun = (run: Run) => {
  const entries = Object.entries(run)
  return sql`insert into runs_run (${joined(
    entries.map(([name]) => column(name)),
    ', ',
  )}) values (${joined(entries.map(valueOf), ', ')})`
}

export const updateRun = (id: string, fields: Partial<Run>) => {
  const sets = Object.entries(fields).map(entry => part`${column(entry[0])} = ${valueOf(entry)}`)
  return sql`update runs_run set ${joined(sets, ', ')} where id = ${id}`
}

export const runById = (id: string) => sql<Run>`select * from runs_run where id = ${id}`
export const lockRun = (id: string) => sql<Run>`select * from runs_run where id = ${id} for update`
export const lockRunOfEscrow = (escrowId: string) =>
  sql<Run>`select * from runs_run where escrow_id = ${escrowId} for update`

const SUMMARY = part`id, status, agent_id, buyer_account_id, buyer_agent_id, buyer_organization_id, price, currency, test,
  escrow_id, negotiation_id, payment, payment_due_at, null as input, null as output, null as output_schema, error_code,
  error_message, job_reference, attempts, call_at, deadline_at, taken_at, started_at, ended_at, created_at, updated_at`

export interface Listed {
  /** A run meets one of them or more. */
  parties: readonly SqlPart[]
  status: string | undefined
}

const withStatus = (where: SqlPart, status: string | undefined): SqlPart =>
  status === undefined ? where : part`${where} and status = ${status}`

/**
 * Without input and output: those of one run may have half a mebibyte. The newest of each party are read by its index: with
 * "or" between them each page would read and sort all of them.
 */
export function listRuns({ parties, status }: Listed, { limit, offset }: { limit: number; offset: number }) {
  const newest = parties.map(
    party =>
      part`(select id from runs_run where ${withStatus(party, status)} order by id desc limit ${limit + offset})`,
  )
  return sql<Run>`select ${SUMMARY} from runs_run where id in (${joined(newest, ' union ')})
    order by id desc limit ${limit} offset ${offset}`
}
export const countRuns = ({ parties, status }: Listed, cap: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (
    select from runs_run where ${withStatus(anyOf(parties), status)} limit ${cap}) seen`

/** What an agent has to work on itself: what its endpoint is being called for comes without asking. */
export const waitingRunsOf = (agentId: string, limit: number) => sql<Run>`
  select * from runs_run where agent_id = ${agentId} and status in ('PENDING', 'RUNNING') and call_at is null
  order by id limit ${limit}`

export const insertAttempt = ({
  id,
  runId,
  number,
  startedAt,
}: Pick<Attempt, 'id' | 'runId' | 'number' | 'startedAt'>) => sql`
  insert into runs_attempt (id, run_id, number, started_at) values (${id}, ${runId}, ${number}, ${startedAt})`
export const endAttempt = (attempt: Omit<Attempt, 'runId' | 'number' | 'startedAt'>) => sql`
  update runs_attempt set ended_at = ${attempt.endedAt}, outcome = ${attempt.outcome}, http_status = ${attempt.httpStatus},
    duration_ms = ${attempt.durationMs}, response_bytes = ${attempt.responseBytes}, response_sha256 = ${attempt.responseSha256}
  where id = ${attempt.id} and ended_at is null`
export const attemptsOf = (runId: string) =>
  sql<Attempt>`select * from runs_attempt where run_id = ${runId} order by number`

/** Runs of some accounts and organizations as buyers, and of the agents of these accounts. Each part has its index. */
export const runsOf = (partyIds: readonly string[]) => sql<Pick<Run, 'id'>>`
  select id from runs_run where buyer_organization_id = any(${partyIds}::uuid[])
  union select id from runs_run where buyer_account_id = any(${partyIds}::uuid[]) and buyer_organization_id is null
  union select r.id from agents_agent a join runs_run r on r.agent_id = a.id where a.owner_id = any(${partyIds}::uuid[])
  order by id`

/** The live runs that an agent buys, and those whose money is still held, belong to its new owner, as its deals do. */
export const moveRunsToOwner = (buyerAgentId: string, accountId: string) => sql`
  update runs_run set buyer_account_id = ${accountId}
  where buyer_agent_id = ${buyerAgentId} and (ended_at is null or payment = 'HELD')`

export const eraseInput = (id: string) => sql`
  update runs_run set input = null, job_reference = null where id = ${id}`
export const eraseOutput = (id: string) => sql`
  update runs_run set output = null, output_schema = null where id = ${id}`
export const eraseSellerText = (id: string) => sql`
  update runs_run set error_message = null, output_schema = null where id = ${id}`
export const buyerAndSeller = (id: string) => sql<{ buyer: string; seller: string }>`
  select coalesce(r.buyer_organization_id, r.buyer_account_id) as buyer, a.owner_id as seller
  from runs_run r join agents_agent a on a.id = r.agent_id where r.id = ${id}`
