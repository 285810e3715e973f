import { endOfLease, renewalMs, renewing, type LeaseTimes } from './background/lease.ts'
import { digest, storable } from './chain/chain.ts'
import { after, HOUR, SECOND } from './clock.ts'
import { idempotencyKeyOf } from '../http/request.ts'
import type { Db, Tx } from './db.ts'
import { COMMON, ApiError, apiError } from './errors.ts'
import { newId } from './id.ts'
import type { Secrets } from './secrets.ts'
import { json, part, sql } from './sql.ts'
import { textOf } from './unknown.ts'

const RETENTION = 72 * HOUR
/** The SQLSTATE with which the database refuses to claim a key that stands for something. */
const KEY_TAKEN = 'SVC01'

interface Stored {
  requestHash: string
  status: number | null
  body: unknown
  subjectId: string | null
  runningUntil: Date | null
}

/** What the `Idempotency-Key` of a request stands for: `scope` is the operation and the caller. */
export interface Claim {
  scope: string
  key: string
  hash: string
}

/** The status and body of a response; a replay is one that was stored earlier. */
export interface Outcome<T> {
  status: number
  body: T
  isReplay: boolean
}

/** The claim of a request, or null without the header. ApiError 400 for a key that is too long or repeated. */
export function claimOf({
  key: header,
  scope,
  content,
}: {
  key: string | string[] | undefined
  scope: string
  content: unknown
}): Claim | null {
  const key = idempotencyKeyOf(header)
  if (key === null) return null
  // Over the parsed content with its fields in order: their order and white space do not matter, 1 and "1" are different.
  return { scope, key, hash: digest(storable(content)) }
}

interface Once {
  claim: Claim | null
  /** Status of the response. */
  status: number
}

/** Seals and opens stored responses that hold a secret. */
export type ResponseSeal = Pick<Secrets, 'seal' | 'open'>

/**
 * Runs a command in one transaction, once per claim: the same key with the same request replays the stored response,
 * with another request it is 422, while the first still runs 409. Without a claim the command simply runs. A refused
 * command leaves the key free.
 */
export const runOnce = <T>(
  db: Db,
  { claim, status, seal }: Once & { seal?: ResponseSeal },
  work: (tx: Tx) => Promise<T>,
): Promise<Outcome<T>> =>
  claiming(db, claim, async (tx, stored) => {
    if (stored && stored.status !== null)
      return replay<T>(seal && claim ? { ...stored, body: openBody(seal, claim, stored.body) } : stored)
    const body = await work(tx)
    if (claim) keep(tx, claim, { status, body: seal ? sealBody(seal, claim, body) : body })
    return { status, body, isReplay: false }
  })

/**
 * Runs `work` in the transaction that claims the key, with what stands under the key. The claim of a key that nothing stands
 * under is sent together with the first statements of `work`: where there is something, it refuses them, and what it is
 * is read in another transaction.
 */
async function claiming<R>(
  db: Db,
  claim: Claim | null,
  work: (tx: Tx, stored: Stored | undefined) => Promise<R>,
): Promise<R> {
  if (!claim) return db.transaction(tx => work(tx, undefined))
  try {
    return await db.transaction(tx => claimingNew(tx, claim, work))
  } catch (error) {
    if (textOf(error, 'code') !== KEY_TAKEN) throw error
  }
  return db.transaction(async tx => work(tx, await take(tx, claim)))
}

async function claimingNew<R>(
  tx: Tx,
  { scope, key }: Claim,
  work: (tx: Tx, stored: undefined) => Promise<R>,
): Promise<R> {
  const claimed = tx.run(sql`select platform_claim_new_key(${scope}, ${key}, ${tx.clock.real()})`)
  const [claim, result] = await Promise.allSettled([claimed, work(tx, undefined)])
  // Whatever `work` made of it: a key that is taken comes first.
  if (claim.status === 'rejected') throw claim.reason
  if (result.status === 'rejected') throw result.reason
  return result.value
}

const sealContext = ({ scope, key }: Claim): string => `idempotency/${scope}/${key}`
const sealBody = (seal: ResponseSeal, claim: Claim, body: unknown): string =>
  seal.seal(JSON.stringify(body), sealContext(claim))
const openBody = (seal: ResponseSeal, claim: Claim, body: unknown): unknown =>
  JSON.parse(seal.open(String(body), sealContext(claim)))

interface Resumable<T> extends Once, LeaseTimes {
  /** Whether a result is final; another is not stored, and the same request continues. */
  isFinal(result: T): boolean
}

/**
 * For a command with an outside call between two transactions: the first claims the key, the last stores the response.
 * It gets an id for what it makes. As long as it was neither refused (an error below 500: the key is free) nor ended
 * with a final result, every request with the key comes with the same id. So nothing is made twice, whether an outside
 * party gave no response or the process died.
 */
export async function runResumable<T>(
  db: Db,
  { claim, ...how }: Resumable<T>,
  work: (subjectId: string) => Promise<T>,
): Promise<Outcome<T>> {
  if (!claim) return { status: how.status, body: await work(newId()), isReplay: false }
  const held = await db.transaction(tx => hold(tx, claim, how))
  if (held.status !== null) return replay<T>(held)
  return finish(db, { ...how, claim, subjectId: held.subjectId }, () => work(held.subjectId))
}

/** Runs the part of a resumable command that follows its first transaction, and stores its result. */
async function finish<T>(
  db: Db,
  { claim, status, subjectId, isFinal, ...times }: Resumable<T> & { claim: Claim; subjectId: string },
  work: () => Promise<T>,
): Promise<Outcome<T>> {
  const mine = part`scope = ${claim.scope} and key = ${claim.key} and subject_id = ${subjectId} and status is null`
  const { clock } = db.context
  const begun = clock.real()
  const renew = () => {
    const runningUntil = endOfLease(times, clock.real(), begun)
    return db.run(
      sql`update platform_idempotency set running_until = ${runningUntil} where ${mine} and running_until is not null`,
    )
  }
  const letGo = sql`update platform_idempotency set running_until = null where ${mine}`
  try {
    const body = await renewing({ everyMs: renewalMs(times), renew }, work)
    const ended = sql`update platform_idempotency set status = ${status}, body = ${json(body)}::json, running_until = null
      where ${mine}`
    await db.run(isFinal(body) ? ended : letGo)
    return { status, body, isReplay: false }
  } catch (error) {
    const refused = error instanceof ApiError && error.row.status < 500
    await db.run(refused ? sql`delete from platform_idempotency where ${mine}` : letGo)
    throw error
  }
}

/**
 * How a command continues after its first transaction: it has ended, or it needs an outside call. A result that is not
 * final is not stored, and the same request continues; by default each is final.
 */
export type Begun<T> = { result: T } | { proceed: () => Promise<T>; isFinal?(result: T): boolean }

/**
 * For a command that needs an outside call only sometimes. `begin` runs in the transaction that claims the key, and gets
 * the id for what it makes. If it has the result, that transaction stores it and there is no second one. Else `proceed`
 * runs after the commit, as in `resumable`.
 */
export async function runOnceOrResumable<T>(
  db: Db,
  { claim, ...how }: Omit<Resumable<T>, 'isFinal'>,
  begin: (tx: Tx, subjectId: string) => Promise<Begun<T>>,
): Promise<Outcome<T>> {
  const { status } = how
  const begun = await claiming<Outcome<T> | Unfinished<T>>(db, claim, async (tx, stored) => {
    if (stored && stored.status !== null) return replay<T>(stored)
    const subjectId = stored?.subjectId ?? newId()
    const next = await begin(tx, subjectId)
    if ('result' in next) {
      if (claim) keep(tx, claim, { status, body: next.result, subjectId })
      return { status, body: next.result, isReplay: false }
    }
    const runningUntil = endOfLease(how, tx.clock.real())
    if (claim) keep(tx, claim, { status: null, body: null, subjectId, runningUntil })
    return { ...next, subjectId }
  })
  if (!('proceed' in begun)) return begun
  const { subjectId, proceed, isFinal = () => true } = begun
  if (!claim) return { status, body: await proceed(), isReplay: false }
  return finish(db, { ...how, claim, subjectId, isFinal }, proceed)
}

interface Unfinished<T> {
  subjectId: string
  proceed: () => Promise<T>
  isFinal?(result: T): boolean
}

/** Whether the response to the same request is stored: a check before the transaction must not refuse a replay. */
export const isAnswered = async (db: Db, { scope, key, hash }: Claim): Promise<boolean> =>
  (await db.maybe(sql`select from platform_idempotency where scope = ${scope} and key = ${key} and request_hash = ${hash}
    and status is not null and expires_at > ${db.context.clock.real()}`)) !== undefined

/** Deletes the stored responses of an account that is being deleted. Those of other accounts expire after 72 hours. */
export const eraseStoredResponses = (tx: Tx, accountId: string): Promise<number> =>
  tx.run(sql`delete from platform_idempotency where left(scope, 36) collate "C" = ${accountId}`)

/** Keys that one statement deletes, far below its time limit, and statements of one sweep: the next sweep continues. */
const SWEEP_BATCH = 5000
const SWEEP_BATCHES = 200

/** Ends keys older than their time. Several instances may do so at once. */
export async function sweepIdempotency(db: Db, real: Date): Promise<void> {
  for (let batch = 0; batch < SWEEP_BATCHES; batch++)
    if ((await db.run(deleteExpired(real))) < SWEEP_BATCH) return
}

const deleteExpired = (real: Date) => sql`
  delete from platform_idempotency where ctid = any(array(
    select ctid from platform_idempotency where expires_at <= ${real}
    order by expires_at limit ${SWEEP_BATCH} for update skip locked))`

/** What stands under the key: a response, or a request that was cut off. ApiError 409 while it runs, 422 for another request. */
async function take(tx: Tx, claim: Claim): Promise<Stored | undefined> {
  const { free, ...found } = await tx.one(claimKey(claim, tx.clock.real()))
  const stored = found.requestHash === null ? undefined : { ...found, requestHash: found.requestHash }
  if (stored) requireSameRequest(stored, claim)
  if (stored && stored.status !== null) return stored
  if (!free) throw running(SECOND)
  const left = (stored?.runningUntil?.getTime() ?? 0) - tx.clock.real().getTime()
  if (left > 0) throw running(left)
  return stored
}

// A stored response needs no lock, so that many replays at once do not wait for each other.
const claimKey = ({ scope, key }: Claim, real: Date) =>
  sql<
    Omit<Stored, 'requestHash'> & { requestHash: string | null; free: boolean }
  >`select * from platform_claim_key(${scope}, ${key}, ${real})`

/** How long a client is asked to wait at most before it asks again: most requests end long before their lease. */
const RETRY_MS = 5 * SECOND

const running = (leftMs: number): ApiError =>
  apiError(COMMON.IDEMPOTENCY_RUNNING, {
    hint: 'Try again when it has finished',
    headers: { 'Retry-After': String(Math.ceil(Math.min(leftMs, RETRY_MS) / SECOND)) },
  })

function requireSameRequest(stored: Stored, { hash }: Claim): void {
  if (stored.requestHash !== hash)
    throw apiError(COMMON.IDEMPOTENCY_MISMATCH, { hint: 'Use a new key for a new request' })
}

async function hold(tx: Tx, claim: Claim, times: LeaseTimes): Promise<Stored & { subjectId: string }> {
  const found = await take(tx, claim)
  const subjectId = found?.subjectId ?? newId()
  const runningUntil = endOfLease(times, tx.clock.real())
  if (!found) keep(tx, claim, { status: null, body: null, subjectId, runningUntil })
  else if (found.status === null) {
    await tx.run(sql`update platform_idempotency set subject_id = ${subjectId}, running_until = ${runningUntil}
      where scope = ${claim.scope} and key = ${claim.key}`)
  }
  return { requestHash: claim.hash, status: null, body: null, runningUntil: null, ...found, subjectId }
}

interface Row {
  status: number | null
  body: unknown
  subjectId?: string
  runningUntil?: Date
}

function keep(tx: Tx, claim: Claim, row: Row): void {
  const now = tx.clock.real()
  tx.write(sql`insert into platform_idempotency (scope, key, request_hash, status, body, subject_id, running_until, created_at, expires_at)
    values (${claim.scope}, ${claim.key}, ${claim.hash}, ${row.status}, ${json(row.body)}::json, ${row.subjectId ?? null},
      ${row.runningUntil ?? null}, ${now}, ${after(now, RETENTION)})
    on conflict (scope, key) do update set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
      subject_id = excluded.subject_id, running_until = excluded.running_until,
      created_at = excluded.created_at, expires_at = excluded.expires_at`)
}

const replay = <T>({ status, body }: Stored): Outcome<T> => ({
  status: status ?? 200,
  body: body as T,
  isReplay: true,
})
