import { readTransfer, sendUsdc } from '#x402'
import type { Services } from '#platform/kernel/services'
import type { RailReport } from './rails.ts'
import type { Payout } from './sql.ts'

/** A payout to an address on the chain. The module that sends it stores it first, so that there is always an answer. */
export async function chainReport(services: Services, payout: Payout): Promise<RailReport> {
  const { id, destination, amount } = payout
  if (!isHex(destination)) throw new Error(`payout ${id} has no address`)
  const sent =
    (await readTransfer(services, id)) ?? (await sendUsdc(services, { id, toAddress: destination, amount }))
  const { state, failure, txHash, custody, gas } = sent
  return { state, failure, transferId: txHash, bankPayoutId: null, source: custody, gas }
}

const isHex = (text: string): text is `0x${string}` => text.startsWith('0x')
