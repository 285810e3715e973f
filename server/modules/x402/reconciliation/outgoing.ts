import { difference, firstBy, type Difference } from '#reconciliation'
import type { ChainTransfer, UsedAuthorization } from '../chain/port.ts'
import type { Sending } from '../sending/sql.ts'
import { usdc } from './incoming.ts'

export interface Outgoing {
  /** Transfers from addresses of ours to others. */
  transfers: readonly ChainTransfer[]
  /** The authorizations of the hot address that they executed. */
  used: readonly UsedAuthorization[]
  /** The sendings with these authorizations, and those that ended in the period. */
  sendings: readonly Sending[]
  /** The newest block that counts as final. */
  lastBlock: bigint
}

/** Transfers from our addresses on which the chain and the books differ. */
export function compareOutgoing({ transfers, used, sendings, lastBlock }: Outgoing): Difference[] {
  const byTransaction = Map.groupBy(used, ({ txHash }) => txHash)
  const byNonce = firstBy<Sending, string | undefined>(sendings, ({ nonce }) => nonce)
  const found = transfers.map(transfer => {
    const before = (byTransaction.get(transfer.txHash) ?? []).filter(
      ({ payer, logIndex }) => payer === transfer.payer && logIndex < transfer.logIndex,
    )
    return { transfer, sending: byNonce.get(before.at(-1)?.nonce) }
  })
  const seen = new Set(found.map(({ sending }) => sending?.id))
  const missing = sendings.filter(({ id, status }) => status === 'PAID' && !seen.has(id))
  return [
    ...found.flatMap(({ transfer, sending }) => transferDifferences(transfer, sending, lastBlock)),
    ...missing.map(({ id: ourId, txHash: externalId, amount }) =>
      difference('MISSING_AT_PROCESSOR', 'sending', {
        externalId,
        ourId,
        actual: usdc(amount),
        note: 'The chain does not have it: check the node, then correct the books',
      }),
    ),
  ]
}

function transferDifferences(
  { txHash: externalId, amount, payer, payTo, blockNumber }: ChainTransfer,
  row: Sending | undefined,
  lastBlock: bigint,
): Difference[] {
  const about = { externalId, ourId: row?.id ?? null, expected: usdc(amount) }
  if (!row)
    return [
      difference('MISSING_HERE', 'sending', {
        ...about,
        note: `Nothing here ordered this transfer from ${payer} to ${payTo}: find out who has the master key`,
      }),
    ]
  const found: Difference[] = []
  if (row.amount !== amount)
    found.push(
      difference('AMOUNT_DIFFERS', 'sending', {
        ...about,
        actual: usdc(row.amount),
        note: 'The books are not what the chain says: correct them',
      }),
    )
  if (row.toAddress.toLowerCase() !== payTo.toLowerCase())
    found.push(
      difference('EVENT_ALTERED', 'sending', {
        ...about,
        expected: payTo,
        actual: row.toAddress,
        note: 'The books name another address than the chain: find out who changed it',
      }),
    )
  if (row.status !== 'PAID' && blockNumber <= lastBlock)
    found.push(
      difference('STATE_DIFFERS', 'sending', {
        ...about,
        expected: 'PAID',
        actual: row.status,
        note: 'The chain has it with its confirmations',
      }),
    )
  return found
}
