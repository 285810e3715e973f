import type { Tx } from '#platform/db'
import type { Names } from '#platform/names'
import * as statements from './sql.ts'

/** Removes what an account wrote with postings; journals, amounts and hashes stay, and the chain still verifies. */
export const forgetMemosBy = (tx: Tx, author: string): Promise<number> => tx.run(statements.deleteMemosBy(author))

/**
 * Removes what others wrote with postings on some accounts where it names a person: a memo is sealed by its hash and
 * can go, but not change. Answers whose memos went and of which journals.
 */
export async function forgetMemosNaming(tx: Tx, accounts: readonly string[], names: Names): Promise<{ authorId: string; journalId: string }[]> {
  const found = (await tx.rows(statements.memosTouching(accounts, names.likes))).filter(({ memo, at }) => names.clean(memo, at) !== memo)
  await tx.run(statements.deleteMemos(found.map(row => row.journal_id)))
  return found.map(row => ({ authorId: row.author_id ?? '', journalId: row.journal_id }))
}
