import type { Queryable } from '#platform/kernel/db'
import { apiError, errorTable } from '#platform/kernel/errors'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId } from '#platform/kernel/id'
import * as statements from './sql.ts'
import type { DifferenceRow, Run } from './sql.ts'

const RECONCILIATION = errorTable({
  RECONCILIATION_NOT_FOUND: [404, 'Reconciliation not found'],
})

/** A page of the runs with their differences, the latest first. */
export async function runViews(q: Queryable, page: Page) {
  const rows = await q.rows(statements.runs(page))
  const differences = await q.rows(statements.differencesOf(rows.map(row => row.id)))
  const { counted } = await q.one(statements.countRuns(TOTAL_CAP + 1))
  return pageAnswer(
    rows.map(run => runView(run, differences)),
    counted,
    page,
  )
}

/** ApiError 404. */
export async function readRun(q: Queryable, id: string) {
  const run = isId(id) ? await q.maybe(statements.runById(id)) : undefined
  if (!run) throw apiError(RECONCILIATION.RECONCILIATION_NOT_FOUND)
  return runView(run, await q.rows(statements.differencesOf([id])))
}

export const runView = (run: Run, differences: readonly DifferenceRow[]) => ({
  id: run.id,
  from: run.fromAt.toISOString(),
  to: run.toAt.toISOString(),
  trigger: run.trigger,
  compared: run.compared,
  open: run.open,
  finishedAt: run.finishedAt.toISOString(),
  differences: differences
    .filter(({ runId }) => runId === run.id)
    .map(({ rail, kind, subject, externalId, ourId, expected, actual, note, isOpen }) => ({
      rail,
      kind,
      subject,
      externalId,
      ourId,
      expected,
      actual,
      note,
      open: isOpen,
    })),
})
