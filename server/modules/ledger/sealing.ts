import {
  lastHead,
  sealChain,
  verifyChain,
  type Chain,
  type ChainItem,
  type ChainReport,
  type Head,
} from '#platform/kernel/chain/chain'
import type { Db, Queryable } from '#platform/kernel/db'
import type { Secrets } from '#platform/kernel/secrets'
import { contentHash, memoHash, sumsOf } from './posting.ts'
import * as statements from './sql.ts'

const chain: Chain = {
  name: 'ledger',
  noun: 'journal',
  table: 'ledger_journal',
  prefix: 'ledger',
  lock: 727_003,
  read: async (q, ids) => (await q.rows(statements.journalsForVerify(ids))).map(toItem),
  onSealed: async (tx, ids) => {
    await tx.run(statements.addToRollups(ids))
  },
}

function toItem(row: statements.VerifyRow): ChainItem {
  const item = { id: row.id, stored: row.hash, computed: contentHash(row), findings: memoFindings(row) }
  if (item.stored !== item.computed) return item
  const expected = sumsOf(row.legs).flatMap(({ account, asset, credit, debit }) => [
    ...(credit ? [`${account} ${asset} ${credit}`] : []),
    ...(debit ? [`${account} ${asset} ${-debit}`] : []),
  ])
  const found = row.entries.map(entry => entry.join(' '))
  return expected.sort().join() === found.sort().join()
    ? item
    : { ...item, findings: [...item.findings, `journal ${row.id}: its entries are not what its legs say`] }
}

const memoFindings = ({ id, stored, memoHash: expected }: statements.VerifyRow): string[] =>
  stored && memoHash(stored) !== expected ? [`journal ${id}: its memo was changed`] : []

/** Seals waiting journals into blocks and moves the rollups of unguarded accounts with them; answers how many. */
export const sealLedger = (db: Db, secrets: Secrets, onHead?: (head: Head) => void): Promise<number> =>
  sealChain(db, chain, secrets, onHead)

/** Recomputes all journals and blocks, and whether the entries are those of the legs. */
export const verifyLedgerChain = (q: Queryable, secrets: Secrets): Promise<ChainReport> =>
  verifyChain(q, chain, secrets)

export const ledgerHead = (q: Queryable): Promise<Head | undefined> => lastHead(q, chain)
