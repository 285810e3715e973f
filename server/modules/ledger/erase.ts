import type { Tx } from '#platform/kernel/db'
import * as statements from './sql.ts'

/** Erases the memos that an account wrote; journals, amounts and hashes stay, and the chain still verifies. */
export const eraseMemosBy = (tx: Tx, author: string): Promise<number> =>
  tx.run(statements.deleteMemosBy(author))
