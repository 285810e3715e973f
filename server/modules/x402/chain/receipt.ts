import { setTimeout as sleep } from 'node:timers/promises'
import type { PublicActions, TransactionReceipt } from 'viem'
import { ChainAway, type Hex } from './port.ts'

/** What is needed of a client of a node. */
interface Reader extends Pick<PublicActions, 'getTransactionReceipt'> {
  pollingInterval: number
}

/**
 * The receipt of a transaction that was sent; throws ChainAway if it is in no block after `timeoutMs`. It asks for the receipt
 * itself: viem asks at each new block and can miss the one that has the transaction, and a quiet test chain has no other.
 */
export async function awaitReceipt(
  client: Reader,
  hash: Hex,
  timeoutMs: number,
): Promise<TransactionReceipt> {
  for (const deadline = performance.now() + timeoutMs; ; await sleep(client.pollingInterval)) {
    const receipt = await client.getTransactionReceipt({ hash }).catch(nullIfUnknown)
    if (receipt) return receipt
    if (performance.now() >= deadline) throw new ChainAway('the transaction was sent and is in no block yet')
  }
}

/** A transaction that no block has yet is no failure. */
export function nullIfUnknown(error: Error): null {
  if (error.name === 'TransactionReceiptNotFoundError') return null
  throw error
}
