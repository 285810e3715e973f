import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON, invalid } from '#platform/kernel/errors'
import { GATEWAY } from '../core/errors.ts'
import { eraseComments, outcomesOf, ratedGeneration, upsertOutcome, type OutcomeRow } from './outcome-sql.ts'
import { pageAfter, readCursor } from './usage.ts'

export interface OutcomeInput {
  generationId: string
  rating?: 'good' | 'bad'
  score?: number
  comment?: string
}

/** Kind of a request that named its model, for which the router did not look for a kind. */
const UNKNOWN_KIND = 'chat'
/** A generation is written some time after its response (docs/gateway.md, "Crashes"): together longer than that. */
const WRITTEN_WITHIN_MS = [0, 100, 300, 600]

/**
 * Records how good an answer was. Errors: 400 without exactly one of rating and score, 404 for an unknown generation, 403
 * for one of another account.
 */
export async function recordOutcome(db: Db, accountId: string, input: OutcomeInput) {
  const score = scoreOf(input)
  const { generationId, comment = null } = input
  const rated = await requireGeneration(db, generationId)
  if (rated.accountId !== accountId) throw apiError(COMMON.FORBIDDEN)
  return db.transaction(async tx => {
    const { model } = rated
    const kind = rated.kind ?? UNKNOWN_KIND
    const row = { generationId, accountId, model, kind, score, comment, now: tx.now }
    return outcomeView(await tx.one(upsertOutcome(row)))
  })
}

function scoreOf({ rating, score }: OutcomeInput): number {
  if (rating !== undefined && score === undefined) return rating === 'good' ? 1 : 0
  if (score !== undefined && rating === undefined) return score
  throw invalid('exactly one of rating and score is required')
}

async function requireGeneration(db: Db, id: string) {
  for (const pauseMs of WRITTEN_WITHIN_MS) {
    if (pauseMs) await sleep(pauseMs)
    const found = await db.maybe(ratedGeneration(id))
    if (found) return found
  }
  throw apiError(GATEWAY.GENERATION_NOT_FOUND, { hint: 'generationId is the id of a response' })
}

/** A page of the outcomes of an account. */
export async function listOutcomes(
  q: Queryable,
  accountId: string,
  query: { limit?: number; cursor?: string },
) {
  const limit = query.limit ?? 20
  const before = query.cursor === undefined ? null : readCursor(query.cursor)
  const rows = await q.rows(outcomesOf(accountId, { before, limit: limit + 1 }))
  const placed = rows.map(row => ({ ...row, at: row.updatedAt, id: row.generationId }))
  return pageAfter(placed, limit, outcomeView)
}

const outcomeView = ({ generationId, model, kind, score, comment, createdAt, updatedAt }: OutcomeRow) => ({
  generationId,
  model,
  kind,
  score: Math.round(score * 10_000) / 10_000,
  rating: score >= 0.5 ? ('good' as const) : ('bad' as const),
  comment,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

/** The account is deleted: its person wrote the comments. */
export async function eraseOutcomeTextOf(tx: Tx, accountId: string): Promise<void> {
  await tx.run(eraseComments(accountId))
}
