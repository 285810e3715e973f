import type { FastifyReply, FastifyRequest } from 'fastify'
import { digest, storable } from './chain.ts'
import { after, HOUR, SECOND } from './clock.ts'
import type { Db, Tx } from './db.ts'
import { COMMON, Fault, fault, invalid } from './fault.ts'
import { newId } from './id.ts'
import { json, part, sql } from './sql.ts'

const KEPT = 72 * HOUR

interface Stored {
  request_hash: string; status: number | null; body: unknown; subject_id: string | null; running_until: Date | null; forgotten?: boolean
}

interface Claim { scope: string; key: string; hash: string }

/**
 * What the `Idempotency-Key` of a request stands for, or null without the header. Its scope is the route and the
 * account; with a bound key what that is bound to.
 */
export function claimOf(request: FastifyRequest): Claim | null {
  const key = request.headers['idempotency-key']
  if (key === undefined || key === '') return null
  if (Array.isArray(key) || key.length > 255) throw invalid('Idempotency-Key must be one value of at most 255 characters')
  const { accountId = 'public', agentId, organizationId } = request.actor ?? {}
  // A bound key is answered nothing that its account was answered, and takes none of its account's keys.
  const bound = agentId ?? organizationId ?? null
  const scope = `${accountId}${bound === null ? '' : ` ${bound}`} ${request.method} ${request.routeOptions.url}`
  // Over the parsed body with its fields in order: their order and white space do not matter, 1 and "1" are different.
  const hash = digest(storable([request.params, request.body ?? null]))
  return { scope, key, hash }
}

/**
 * Runs an act on money in one transaction, once per `Idempotency-Key`: the same key with the same request
 * answers what was stored (`Idempotency-Replayed: true`), with another request 422, while the first
 * still runs 409. Without the header the act simply runs. A refused act leaves the key free.
 */
export async function once<T>(db: Db, request: FastifyRequest, reply: FastifyReply, act: (tx: Tx) => Promise<T>): Promise<T> {
  const claim = claimOf(request)
  return db.transaction(async tx => {
    const stored = claim && await take(tx, claim)
    if (stored && stored.status !== null) return replay<T>(stored, reply)
    const body = await act(tx)
    if (claim) await keep(tx, claim, { status: reply.statusCode, body })
    return body
  })
}

interface Resumable<T> {
  request: FastifyRequest
  reply: FastifyReply
  /** Longer than the act can run: after it the request counts as cut off and may be taken up again. */
  leaseMs: number
  /** Whether an answer is the last word; another is not stored, and the same request asks again. */
  isFinal?(answer: T): boolean
}

/**
 * For a command with an outside call between two transactions: the first claims the key, the last stores the response. It gets an id for what it makes; as long as it was neither refused
 * (a fault below 500: the key is free) nor answered finally, every request with the key comes with the same id. So
 * nothing is made twice, whether a partner gave no answer or the process died.
 */
export async function resumable<T>(db: Db, how: Resumable<T>, act: (subjectId: string) => Promise<T>): Promise<T> {
  const { request, reply, leaseMs, isFinal } = how
  const claim = claimOf(request)
  if (!claim) return act(newId())
  const held = await db.transaction(tx => hold(tx, claim, leaseMs))
  if (held.status !== null) return replay<T>(held, reply)
  const mine = part`scope = ${claim.scope} and key = ${claim.key} and subject_id = ${held.subject_id} and status is null`
  const letGo = sql`update platform_idempotency set running_until = null where ${mine}`
  try {
    const body = await act(held.subject_id)
    const ended = sql`update platform_idempotency set status = ${reply.statusCode}, body = ${json(body)}::jsonb, running_until = null
      where ${mine}`
    await db.run(isFinal?.(body) ?? true ? ended : letGo)
    return body
  } catch (error) {
    const refused = error instanceof Fault && error.row.status < 500
    await db.run(refused ? sql`delete from platform_idempotency where ${mine}` : letGo)
    throw error
  }
}

/** Removes the answers that were kept for an account's repeated requests, such as when the account is deleted. */
export const forgetReplays = (tx: Tx, accountId: string): Promise<number> =>
  tx.run(sql`delete from platform_idempotency where starts_with(scope, ${`${accountId} `})`)

/**
 * The same for others' answers that tell of it (`ids`: of its deals or wallets): what was done stays done, and asked again
 * it is fault 409.
 */
export const forgetReplaysAbout = (tx: Tx, accountIds: readonly string[], ids: readonly string[]): Promise<number> => tx.run(sql`
  update platform_idempotency set body = null
  where split_part(scope, ' ', 1) = any(${accountIds}::text[]) and status is not null
    and (select array_agg(found[1]) from regexp_matches(body::text, '[0-9a-f]{8}-[0-9a-f-]{27}', 'g') found) && ${ids}::text[]`)

/** Ends keys older than their time. */
export async function sweepIdempotency(db: Db, real: Date): Promise<void> {
  await db.run(sql`delete from platform_idempotency where expires_at <= ${real}`)
}

/** What stands under the key: an answer, or a request that was cut off. Fault 409 while it runs, 422 for another request. */
async function take(tx: Tx, claim: Claim): Promise<Stored | undefined> {
  // An answer is read without the lock, so that many replays at once do not wait for each other.
  const answered = await find(tx, claim)
  if (answered && answered.status !== null) return answered
  const { free } = await tx.one(sql<{ free: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${`${claim.scope} ${claim.key}`}, 0)) as free`)
  if (!free) throw running(SECOND)
  const stored = await find(tx, claim)
  const left = (stored?.status === null ? stored.running_until?.getTime() ?? 0 : 0) - tx.clock.real().getTime()
  if (left > 0) throw running(left)
  return stored
}

/** How long a client is asked to wait at most before it asks again: most requests end long before their lease. */
const RETRY_MS = 5 * SECOND

const running = (leftMs: number): Fault => fault(COMMON.IDEMPOTENCY_RUNNING, {
  hint: 'Try again when it has finished', headers: { 'Retry-After': String(Math.ceil(Math.min(leftMs, RETRY_MS) / SECOND)) },
})

async function find(tx: Tx, { scope, key, hash }: Claim): Promise<Stored | undefined> {
  const stored = await tx.maybe(sql<Stored>`select request_hash, status, body, subject_id, running_until, body is null as forgotten from platform_idempotency
    where scope = ${scope} and key = ${key} and expires_at > ${tx.clock.real()}`)
  if (stored && stored.request_hash !== hash) throw fault(COMMON.IDEMPOTENCY_MISMATCH, { hint: 'Use a new key for a new request' })
  if (stored && stored.status !== null && stored.forgotten) throw fault(COMMON.IDEMPOTENCY_FORGOTTEN, { hint: 'The request was carried out: read its result with a GET request' })
  return stored
}

async function hold(tx: Tx, claim: Claim, leaseMs: number): Promise<Stored & { subject_id: string }> {
  const found = await take(tx, claim)
  const subjectId = found?.subject_id ?? newId()
  const runningUntil = after(tx.clock.real(), leaseMs)
  if (!found) await keep(tx, claim, { status: null, body: null, subjectId, runningUntil })
  else if (found.status === null) {
    await tx.run(sql`update platform_idempotency set subject_id = ${subjectId}, running_until = ${runningUntil}
      where scope = ${claim.scope} and key = ${claim.key}`)
  }
  return { request_hash: claim.hash, status: null, body: null, running_until: null, ...found, subject_id: subjectId }
}

interface Row { status: number | null; body: unknown; subjectId?: string; runningUntil?: Date }

async function keep(tx: Tx, claim: Claim, row: Row): Promise<void> {
  const now = tx.clock.real()
  await tx.run(sql`insert into platform_idempotency (scope, key, request_hash, status, body, subject_id, running_until, created_at, expires_at)
    values (${claim.scope}, ${claim.key}, ${claim.hash}, ${row.status}, ${json(row.body)}::jsonb, ${row.subjectId ?? null},
      ${row.runningUntil ?? null}, ${now}, ${after(now, KEPT)})
    on conflict (scope, key) do update set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
      subject_id = excluded.subject_id, running_until = excluded.running_until,
      created_at = excluded.created_at, expires_at = excluded.expires_at`)
}

function replay<T>(stored: Stored, reply: FastifyReply): T {
  void reply.code(stored.status ?? 200).header('Idempotency-Replayed', 'true')
  return stored.body as T
}
