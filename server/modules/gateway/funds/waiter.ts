import type { Reservation } from '../core/funds.ts'
import { balanceFrozen, balanceInsufficient, budgetExceeded, type Budget } from './budget.ts'
import type { PlanRequest } from './plan.ts'
import { FROZEN, MONEY } from './take.ts'

/** A request for funds that waits for the database. */
export interface Waiter extends PlanRequest {
  budgets: readonly Budget[]
  /** The pot that did not cover it in the last round. */
  lacking: string | null
  /** When other instances have had their time to return something; null before they were asked. */
  deadline: number | null
  /** Leases whose instances have returned what they do not use, since they were asked. */
  answered: ReadonlySet<string>
  resolve(reservation: Reservation): void
  reject(error: unknown): void
}

export const NONE: ReadonlySet<string> = new Set()

/** Why a request that waited is refused: the first thing that does not cover it. */
export function refusalOf({ lacking, budgets, minimum }: Waiter, test: boolean): Error {
  const budget = budgets.find(({ id }) => id === lacking)
  if (budget) return budgetExceeded(budget, minimum)
  return lacking === FROZEN ? balanceFrozen() : balanceInsufficient(test, minimum)
}

export const potsOf = (budgets: readonly Budget[]): readonly string[] => [
  MONEY,
  ...budgets.map(({ id }) => id),
]
export const distinct = (budgets: readonly Budget[]): Budget[] => [
  ...new Map(budgets.map(budget => [budget.id, budget])).values(),
]
