import { after, SECOND } from '#platform/kernel/clock'
import { criteriaFor, type Checker, type Criterion, type Kind } from './criterion.ts'

export const RESULT_STATES = ['PASSED', 'FAILED', 'PENDING', 'ERROR'] as const

/** What is known of one criterion of a delivery. ERROR: it could not be checked, which is inconclusive (ADR 20). */
export interface CriterionResult {
  key: string
  kind: Kind
  status: (typeof RESULT_STATES)[number]
  detail: string | null
  checkedAt: string | null
}

/** A result without its time. */
export type Outcome = Pick<CriterionResult, 'status' | 'detail'>

const DETAIL_MAX = 500

export const resultOf = (
  { key, kind }: Criterion,
  { status, detail }: Outcome,
  now: Date,
): CriterionResult => ({
  key,
  kind,
  status,
  // What the database cannot store as text comes from pages and checkers.
  detail: detail?.slice(0, DETAIL_MAX).replaceAll('\0', '').toWellFormed() ?? null,
  checkedAt: status === 'PENDING' ? null : now.toISOString(),
})

/** The results of a delivery that was not checked yet; null if no criterion is about its milestone. */
export function pendingResults(
  criteria: readonly Criterion[] | null,
  milestoneKey: string,
): CriterionResult[] | null {
  const pending = criteriaFor(criteria, milestoneKey).map(({ key, kind }) => ({
    key,
    kind,
    status: 'PENDING' as const,
    detail: null,
    checkedAt: null,
  }))
  return pending.length ? pending : null
}

/** Results of two checks of one delivery: what the first decided stays. */
export const mergeResults = (
  first: readonly CriterionResult[] | null,
  second: readonly CriterionResult[] | null,
): CriterionResult[] | null =>
  first?.map(result =>
    result.status === 'PENDING' ? (second?.find(({ key }) => key === result.key) ?? result) : result,
  ) ?? null

/** The criterion that the service checks and that failed; a rubric is for a person. */
export const firstFailed = (results: readonly CriterionResult[] | null): CriterionResult | undefined =>
  results?.find(({ kind, status }) => kind !== 'rubric' && status === 'FAILED')

/** Whether the service still has to check one of them. */
export const isMachinePending = ({ kind, status }: CriterionResult): boolean =>
  kind !== 'rubric' && status === 'PENDING'

/** The checkers of a delivery that did not answer yet. */
export const pendingCheckers = (
  criteria: readonly Criterion[] | null,
  results: readonly CriterionResult[] | null,
): Checker[] =>
  (criteria ?? []).filter(
    (each): each is Checker =>
      each.kind === 'checker' &&
      (results ?? []).some(result => result.key === each.key && result.status === 'PENDING'),
  )

/** When a checker that is asked since `since` has had its time. */
export const deadlineOf = ({ timeoutSeconds }: Checker, since: Date): Date =>
  after(since, timeoutSeconds * SECOND)

/** The results at `now`: a checker without an answer at its deadline is an ERROR. */
export function expireCheckers(
  criteria: readonly Criterion[] | null,
  results: readonly CriterionResult[],
  { since, now }: { since: Date; now: Date },
): CriterionResult[] {
  const late = pendingCheckers(criteria, results).filter(each => deadlineOf(each, since) <= now)
  return results.map(result => {
    const checker = late.find(({ key }) => key === result.key)
    const detail = `the checker gave no usable answer in ${checker?.timeoutSeconds} s`
    return checker ? resultOf(checker, { status: 'ERROR', detail }, now) : result
  })
}
