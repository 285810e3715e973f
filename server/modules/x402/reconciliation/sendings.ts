import type { Db } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { networkOf } from '../chain/network.ts'
import type { SendingStatus } from '../sending/machine.ts'
import { sendingsIn } from './sql.ts'

/** What was ordered to leave on the chain, as another module compares it with its orders. */
export interface Sent {
  id: string
  status: SendingStatus
  toAddress: string
  /** Micro-units of USDC. */
  amount: bigint
  txHash: string | null
}

/** The orders of `sendUsdc` that were paid or failed in a period, and those with these ids. */
export async function sendingsBetween(
  { config, db }: Pick<Services, 'config'> & { db: Db },
  period: { from: Date; to: Date },
  ids: readonly string[],
): Promise<Sent[]> {
  const rows = await db.rows(sendingsIn(networkOf(config).id, period, { ids }))
  return rows.filter(({ isReturn }) => !isReturn)
}
