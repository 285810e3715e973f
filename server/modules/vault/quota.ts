import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { VAULT } from './errors.ts'
import { endedDeliveries } from './ports.ts'
import * as statements from './sql.ts'

interface Reservation {
  accountId: string
  /** What the upload may need. */
  bytes: bigint
  /** In bytes. */
  quota: bigint
}

/**
 * Locks the quota of an account until the transaction ends; ApiError 403 if an upload exceeds it. Files of ended deals
 * do not count: the seller cannot delete them, because the buyer may need them.
 */
export async function requireQuota(tx: Tx, { accountId, bytes, quota }: Reservation): Promise<void> {
  await tx.run(statements.lockQuota(accountId))
  const read = async () => (await tx.one(statements.usedBy(accountId))).used
  let used = await read()
  if (used + bytes > quota && (await stopCountingEnded(tx, accountId))) used = await read()
  if (used + bytes > quota)
    throw apiError(VAULT.VAULT_QUOTA_EXCEEDED, {
      hint: `${quota - used} bytes are left: delete artifacts that \`GET /vault\` lists, end deals that contain some, or send a Content-Length`,
      details: { quota: Number(quota), used: Number(used) },
    })
}

/** True if files stopped counting. Done when an upload exceeds the quota, so that the end of a deal looks for no files. */
async function stopCountingEnded(tx: Tx, accountId: string): Promise<boolean> {
  const deliveryIds = (await tx.rows(statements.countedDeliveries(accountId))).map(row => row.deliveryId)
  if (!deliveryIds.length) return false
  const ended = (await endedDeliveries.call(tx, { deliveryIds })).flat()
  return ended.length > 0 && (await tx.run(statements.stopCounting(accountId, ended))) > 0
}
