import type { SqlPart } from './sql.ts'

/** Which part of history a statement of the ledger check looks at. */
export interface Scope {
  /** A query of journal ids: those of some blocks, in the last part of a run those that wait for a block too. */
  journals: SqlPart
  /** True once a run: records that have no journal, or can change without one, are checked too. */
  last: boolean
  /** The run reads all history; without it the parts before were proved by an earlier run. */
  full: boolean
}

/**
 * A rule of the books: a query of a column `finding`, with a row for each finding in its scope. One query, so that it sees one
 * moment of a running service; it reads no more than its scope, so that its cost does not grow with history.
 */
export interface LedgerCheck {
  name: string
  statement(scope: Scope): SqlPart
}
