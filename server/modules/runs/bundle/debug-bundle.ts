import { createHash } from 'node:crypto'
import { runDeals } from '#ap2'
import { signing } from '#identity'
import type { RequestContext } from '#platform/http/principal'
import type { Snapshot } from '#platform/kernel/db'
import { historyOf } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { redact, redactText } from './redact.ts'
import { requireBuyer, requireRun } from '../run.ts'
import { attemptsOf, type Attempt, type Run } from '../sql.ts'
import { outputFor, runSummary } from '../view.ts'

export const BUNDLE_TYPE = 'svc-run-bundle+jws'

/**
 * Everything about a run that its buyer may see, for a report to the seller or an operator. The manifest has the sha256 of
 * the canonical JSON (RFC 8785) of each part, and is signed with the document key of the service.
 */
export async function debugBundle(
  q: Snapshot,
  ctx: RequestContext,
  { id, services }: { id: string; services: Services },
) {
  const run = await requireRun(q, id)
  await requireBuyer(q, ctx, { run, use: 'read' })
  const parts = await partsOf(q, run)
  const manifest = Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, sha256(signing.canonicalJson(part))]),
  )
  const key = signing.documentKeysOf(services).active(q.now)
  const jws = signing.signText(key, BUNDLE_TYPE, signing.canonicalJson(manifest))
  return { ...parts, manifest, signature: { alg: 'EdDSA', kid: key.kid, jws } }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

async function partsOf(q: Snapshot, stored: Run) {
  const run = {
    ...stored,
    jobReference: redactText(stored.jobReference),
    errorMessage: redactText(stored.errorMessage),
  }
  const history = await q.rows(historyOf('runs_run', run.id))
  const attempts = await q.rows(attemptsOf(run.id))
  return {
    run: runSummary(run, 'buyer'),
    timeline: history.map(line => ({
      at: line.at.toISOString(),
      subject: 'run',
      event: line.event,
      from: line.fromStatus || null,
      to: line.toStatus,
      actor: line.actor,
      details: line.details,
    })),
    request: { type: 'run.requested', runId: run.id, input: redact(run.input) },
    response: {
      status: run.status,
      output: redact(outputFor(run, 'buyer')),
      error: run.errorMessage,
    },
    deliveryAttempts: attempts.map(attemptView),
    ledgerEntries: run.escrowId ? await runDeals.runLedgerEntries(q, run.escrowId, q.now) : [],
    versions: { bundle: '1.0', api: '1.0.0', generatedAt: q.now.toISOString() },
  }
}

const attemptView = (attempt: Attempt) => ({
  number: attempt.number,
  startedAt: attempt.startedAt.toISOString(),
  endedAt: attempt.endedAt?.toISOString() ?? null,
  outcome: attempt.outcome,
  httpStatus: attempt.httpStatus,
  durationMs: attempt.durationMs,
  responseBytes: attempt.responseBytes,
  responseSha256: attempt.responseSha256,
})
