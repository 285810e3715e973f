import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { after, HOUR } from './clock.ts'
import type { Db, Tx } from './db.ts'
import { COMMON, fault, invalid } from './fault.ts'
import { json, sql } from './sql.ts'

const KEPT = 72 * HOUR

interface Stored { request_hash: string; status: number | null; body: unknown }

interface Claim { scope: string; key: string; hash: string }

/** What the `Idempotency-Key` of a request stands for (scope: account and route), or null without the header. */
export function claimOf(request: FastifyRequest): Claim | null {
  const key = request.headers['idempotency-key']
  if (key === undefined || key === '') return null
  if (Array.isArray(key) || key.length > 255) throw invalid('Idempotency-Key must be one value of at most 255 characters')
  const scope = `${request.actor?.accountId ?? 'public'} ${request.method} ${request.routeOptions.url}`
  const hash = createHash('sha256').update(json([request.params, request.body ?? null])).digest('hex')
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
    if (stored) return replay<T>(stored, reply)
    const body = await act(tx)
    if (claim) await keep(tx, claim, reply.statusCode, body)
    return body
  })
}

/**
 * For an act with an outside call between two transactions: `claim` holds the key from the first one on,
 * `finish` stores the answer, `release` frees the key after a refusal. A claim that a crash left is
 * ended by the sweeper.
 */
export async function onceAround<T>(db: Db, request: FastifyRequest, reply: FastifyReply, act: () => Promise<T>): Promise<T> {
  const claim = claimOf(request)
  if (!claim) return act()
  const stored = await db.transaction(async tx => {
    const found = await take(tx, claim)
    if (!found) await keep(tx, claim, null, null)
    return found
  })
  if (stored) return replay<T>(stored, reply)
  try {
    const body = await act()
    await db.run(sql`update platform_idempotency set status = ${reply.statusCode}, body = ${json(body)}::jsonb where scope = ${claim.scope} and key = ${claim.key}`)
    return body
  } catch (error) {
    await db.run(sql`delete from platform_idempotency where scope = ${claim.scope} and key = ${claim.key} and status is null`)
    throw error
  }
}

/** Removes the answers that were kept for an account's repeated requests, such as when the account is deleted. */
export const forgetReplays = (tx: Tx, accountId: string): Promise<number> =>
  tx.run(sql`delete from platform_idempotency where starts_with(scope, ${`${accountId} `})`)

/** Ends claims older than their time, and those that a crash left without an answer. */
export async function sweepIdempotency(db: Db, real: Date): Promise<void> {
  await db.run(sql`delete from platform_idempotency where expires_at <= ${real} or (status is null and created_at <= ${after(real, -HOUR)})`)
}

async function take(tx: Tx, claim: Claim): Promise<Stored | undefined> {
  const { free } = await tx.one(sql<{ free: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${`${claim.scope} ${claim.key}`}, 0)) as free`)
  if (!free) throw fault(COMMON.IDEMPOTENCY_RUNNING, { hint: 'try again when it has ended' })
  const stored = await tx.maybe(sql<Stored>`select request_hash, status, body from platform_idempotency
    where scope = ${claim.scope} and key = ${claim.key} and expires_at > ${tx.clock.real()}`)
  if (!stored) return undefined
  if (stored.request_hash !== claim.hash) throw fault(COMMON.IDEMPOTENCY_MISMATCH, { hint: 'use a new key for a new request' })
  if (stored.status === null) throw fault(COMMON.IDEMPOTENCY_RUNNING, { hint: 'try again when it has ended' })
  return stored
}

async function keep(tx: Tx, claim: Claim, status: number | null, body: unknown): Promise<void> {
  const now = tx.clock.real()
  await tx.run(sql`insert into platform_idempotency (scope, key, request_hash, status, body, created_at, expires_at)
    values (${claim.scope}, ${claim.key}, ${claim.hash}, ${status}, ${json(body)}::jsonb, ${now}, ${after(now, KEPT)})
    on conflict (scope, key) do update set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
      created_at = excluded.created_at, expires_at = excluded.expires_at`)
}

function replay<T>(stored: Stored, reply: FastifyReply): T {
  void reply.code(stored.status ?? 200).header('Idempotency-Replayed', 'true')
  return stored.body as T
}
