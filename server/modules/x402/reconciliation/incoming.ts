import { difference, firstBy, type Difference } from '#reconciliation'
import { formatMoney } from '#platform/kernel/money'
import type { ChainTransfer } from '../chain/port.ts'
import type { RecordedTransfer } from './sql.ts'

export interface Incoming {
  /** Transfers of other people to addresses of ours, in the blocks of the period and of what was recorded in it. */
  transfers: readonly ChainTransfer[]
  /** What was recorded of them and in the period. */
  recorded: readonly RecordedTransfer[]
  /** The newest block that counts as final. */
  lastBlock: bigint
}

export const usdc = (amount: bigint | string): string => `${formatMoney(BigInt(amount))} USDC`

interface Log {
  txHash: string
  logIndex: number
}
/** Identifies a log, for sets and maps. */
export const logKey = ({ txHash, logIndex }: Log): string => `${txHash}/${logIndex}`

/** Transfers to our addresses on which the chain and the books differ. */
export function compareIncoming({ transfers, recorded, lastBlock }: Incoming): Difference[] {
  const byLog = firstBy(recorded, logKey)
  const inChain = new Set(transfers.map(logKey))
  const byTransaction = Map.groupBy(transfers, ({ txHash }) => txHash)
  return [
    ...transfers.flatMap(transfer => transferDifferences(transfer, byLog.get(logKey(transfer)), lastBlock)),
    ...recorded
      .filter(row => row.status !== 'DROPPED' && !inChain.has(logKey(row)))
      .map(row => missingOnChain(row, byTransaction.get(row.txHash) ?? [])),
  ]
}

function transferDifferences(
  transfer: ChainTransfer,
  row: RecordedTransfer | undefined,
  lastBlock: bigint,
): Difference[] {
  const about = {
    externalId: transfer.txHash,
    ourId: row?.id ?? null,
    expected: usdc(transfer.amount),
  }
  if (!row)
    return [
      difference('MISSING_HERE', 'transfer', {
        ...about,
        note: `A transfer to ${transfer.payTo} was not noticed`,
      }),
    ]
  const differs = (kind: Difference['kind'], how: Partial<Difference> & { note: string }) => [
    difference(kind, 'transfer', { ...about, ...how }),
  ]
  if (row.status === 'DROPPED' || (row.status === 'SEEN' && transfer.blockNumber <= lastBlock))
    return differs('STATE_DIFFERS', {
      expected: 'FINAL',
      actual: row.status,
      note: 'The chain has it with its confirmations',
    })
  return [
    ...(BigInt(row.amount) === transfer.amount
      ? []
      : differs('AMOUNT_DIFFERS', {
          actual: usdc(row.amount),
          note: 'The books are not what the chain says: correct them',
        })),
    ...(isSame(row.payer, transfer.payer) && isSame(row.payTo, transfer.payTo)
      ? []
      : differs('EVENT_ALTERED', {
          expected: `${transfer.payer} to ${transfer.payTo}`,
          actual: `${row.payer} to ${row.payTo}`,
          note: 'The books name other addresses than the chain: find out who changed them',
        })),
    ...(isSame(row.blockHash, transfer.blockHash)
      ? []
      : differs('EVENT_REORDERED', {
          expected: `block ${transfer.blockNumber}`,
          actual: `block ${row.blockNumber}`,
          note: 'Its block was replaced and the transfer is in another one: it counts once',
          isOpen: false,
        })),
    ...purposeDifferences(row, about),
  ]
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** What a recorded transfer pays. */
function purposeDifferences(row: RecordedTransfer, about: Partial<Difference>): Difference[] {
  const { reason, resolution, paymentStatus, paymentAmount } = row
  if (row.status !== 'FINAL') return []
  if (reason === null)
    return paymentStatus === 'FINAL' || paymentStatus === 'LATE'
      ? paymentAmount === BigInt(row.amount)
        ? []
        : [
            difference('AMOUNT_DIFFERS', 'payment', {
              ...about,
              ourId: row.paymentId,
              actual: usdc(paymentAmount ?? 0n),
              note: 'The payment has another amount than its transfer: correct it',
            }),
          ]
      : [
          difference('STATE_DIFFERS', 'payment', {
            ...about,
            ourId: row.paymentId,
            expected: 'FINAL',
            actual: paymentStatus,
            note: 'Its transfer is final: find out why the payment is not',
          }),
        ]
  const isOpen = resolution === null
  const kind =
    reason === 'PAID_TWICE' ? 'DUPLICATE' : reason === 'UNMATCHED' ? 'MISSING_HERE' : 'AMOUNT_DIFFERS'
  return [
    difference(kind, 'transfer', {
      ...about,
      actual: reason,
      note: isOpen ? 'It waits in suspense: assign or return it' : `It left suspense: ${resolution}`,
      isOpen,
    }),
  ]
}

function missingOnChain(row: RecordedTransfer, sameTransaction: readonly ChainTransfer[]): Difference {
  const { id: ourId, txHash: externalId } = row
  const about = { externalId, ourId, actual: usdc(row.amount) }
  const isCopy = sameTransaction.some(
    other => other.amount === BigInt(row.amount) && isSame(other.payTo, row.payTo),
  )
  return isCopy
    ? difference('DUPLICATE', 'transfer', {
        ...about,
        note: 'The chain has this transfer once, the books have it twice: correct them',
      })
    : difference('MISSING_AT_PROCESSOR', 'transfer', {
        ...about,
        note: 'The chain does not have it: check the node, then correct the books',
      })
}
