import type { Queryable } from '#platform/kernel/db'
import { requireEscrow } from '../deal/deal.ts'
import type { Held } from '../escrow/funding.ts'
import { reconcile } from '../escrow/reconciliation.ts'
import { transactionView } from '../views/views.ts'

/** The wallet transaction that holds the price of a run. */
export const runTransaction = ({ deal, journal, legs }: Held) => transactionView(journal, legs, deal.escrow)

/** Every leg of the journals of a run, with the hash of its journal. */
export const runLedgerEntries = async (q: Queryable, escrowId: string, asOf: Date) =>
  (await reconcile(q, await requireEscrow(q, escrowId), asOf)).entries
