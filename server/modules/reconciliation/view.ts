import type { Queryable } from '#platform/kernel/db'
import { apiError, errorTable } from '#platform/kernel/errors'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId } from '#platform/kernel/id'
import * as statements from './sql.ts'
import { LISTED_DIFFERENCES } from './schema.ts'
import type { DifferenceRow, Run } from './sql.ts'

const RECONCILIATION = errorTable({
  RECONCILIATION_NOT_FOUND: [404, 'Reconciliation not found'],
})

/** A page of the runs with their first differences, the latest first. */
export async function runViews(q: Queryable, page: Page) {
  const rows = await q.rows(statements.runs(page))
  const ids = rows.map(row => row.id)
  const differences = Map.groupBy(
    await q.rows(statements.differencesOf(ids, LISTED_DIFFERENCES)),
    ({ runId }) => runId,
  )
  const totals = new Map(
    (await q.rows(statements.countDifferences(ids))).map(({ runId, counted }) => [runId, counted]),
  )
  const { counted } = await q.one(statements.countRuns(TOTAL_CAP + 1))
  return pageAnswer(
    rows.map(run => runView(run, differences.get(run.id) ?? [], totals.get(run.id))),
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

/** `total` where `differences` are not all of them. */
export const runView = (
  run: Run,
  differences: readonly DifferenceRow[],
  total: number = differences.length,
) => ({
  id: run.id,
  from: run.fromAt.toISOString(),
  to: run.toAt.toISOString(),
  trigger: run.trigger,
  compared: run.compared,
  open: run.open,
  finishedAt: run.finishedAt.toISOString(),
  differencesTotal: total,
  differences: differences.map(
    ({ rail, kind, subject, externalId, ourId, expected, actual, note, isOpen }) => ({
      rail,
      kind,
      subject,
      externalId,
      ourId,
      expected,
      actual,
      note,
      open: isOpen,
    }),
  ),
})
