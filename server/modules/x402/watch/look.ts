import { SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import { cryptoWallets } from '#wallets'
import { chainOf, confirmationsOf, hasChain } from '../chain/open.ts'
import { ChainAway, type Chain, type ChainTransfer, type Head, type Hex } from '../chain/port.ts'
import { sameAddress } from '../payment/authorization.ts'
import { finalize } from './finalize.ts'
import { drop, isLogOf, record, type Found } from './record.ts'
import * as statements from './sql.ts'
import type { TransferRow } from './sql.ts'

/** Blocks that are read again beyond the confirmations, in case they were replaced. */
const REREAD_BLOCKS = 5n
/** How far the clocks of the chain and of the service may differ. */
const CLOCK_SECONDS = 300

/**
 * Reads the chain from the last block that was read: records transfers to the addresses of payments, drops those whose block
 * was replaced and posts those that are final. Several at once do no harm. Throws ChainAway.
 */
export async function readChain(services: Services): Promise<void> {
  const { db, clock } = services
  const chain = await chainOf(services)
  const network = chain.network.id
  // In this order: a payment of which the addresses know nothing was requested after this block.
  const head = await chain.head()
  const seen = await db.rows(statements.seenTransfers(network))
  const watched = await db.rows(statements.watchedAddresses(clock.now()))
  if (!watched.length && !seen.length) return
  const from = await firstBlock(services, { network, head, watched })
  // What the service collects arrives at the hot address and is no payment, whatever a request of an earlier version says.
  const addresses = watched.map(({ payTo }) => payTo).filter(address => address !== chain.hotAddress)
  const found = await chain.transfersTo(addresses, from, head.number)
  // Before anything is recorded: a transfer at another place than before pays what it paid there.
  const { remaining, moved } = await findAgain(services, chain, { seen, found })
  await record(services, await withNonces(chain, found, { from, to: head.number }))
  for (const each of moved)
    await record(services, await withNonces(chain, [each], { from: each.blockNumber, to: each.blockNumber }))
  await finalize(services, chain, {
    present: [...found, ...remaining, ...moved],
    lastBlock: head.number - BigInt(confirmationsOf(services)) + 1n,
  })
  await db.run(statements.setCursor(network, head.number))
}

/** The same where there is a node; without an answer nothing changes. */
export async function readChainIfAny(services: Services): Promise<void> {
  if (!hasChain(services)) return
  await readChain(services).catch((err: unknown) => {
    if (!(err instanceof ChainAway)) throw err
    services.log.warn({ err }, 'x402: the chain does not answer, it will be asked again')
  })
}

interface Range {
  from: bigint
  to: bigint
}

async function firstBlock(
  services: Services,
  { network, head, watched }: { network: string; head: Head; watched: { since: Date }[] },
): Promise<bigint> {
  const now = services.clock.real().getTime()
  // No call takes an argument for each of a hundred thousand addresses.
  const oldest = watched.reduce((least, { since }) => Math.min(least, since.getTime()), now)
  const seconds = Math.ceil((now - oldest) / SECOND) + CLOCK_SECONDS
  // A block takes a second or more, so that nothing older can pay what is watched.
  const earliest = head.number - BigInt(seconds)
  const cursor = await services.db.maybe(statements.cursorOf(network))
  const depth = BigInt(confirmationsOf(services)) + REREAD_BLOCKS
  const reread = (cursor && cursor.blockNumber < head.number ? cursor.blockNumber : head.number) - depth
  // A transfer that waits in an older block is asked for by itself: one that cannot be posted would lengthen each reading.
  return max(0n, cursor ? max(reread, earliest) : earliest)
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Each transfer with the authorization that it executed: the last event of that payer before it, in the same transaction. */
async function withNonces(
  chain: Chain,
  found: readonly ChainTransfer[],
  { from, to }: Range,
): Promise<Found[]> {
  if (!found.length) return []
  const payers = [...new Set(found.map(({ payer }) => payer))]
  const used = await chain.authorizationsUsed(payers, from, to)
  return found.map(transfer => {
    const before = used.filter(
      each =>
        each.txHash === transfer.txHash && each.payer === transfer.payer && each.logIndex < transfer.logIndex,
    )
    return { transfer, nonce: before.at(-1)?.nonce ?? null }
  })
}

/**
 * Looks for the transfers that were recorded and that this reading did not find. One that is no more where it was is dropped; if
 * its transaction is in another block now, its transfers to that address are to be recorded anew.
 */
async function findAgain(
  services: Services,
  chain: Chain,
  { seen, found }: { seen: readonly TransferRow[]; found: readonly ChainTransfer[] },
): Promise<{ remaining: ChainTransfer[]; moved: ChainTransfer[] }> {
  const [remaining, moved]: [ChainTransfer[], ChainTransfer[]] = [[], []]
  for (const row of seen) {
    if (found.some(log => isLogOf(log, row))) continue
    const logs = await chain.transfersOf(row.txHash)
    const log = logs.find(each => isLogOf(each, row))
    if (log) remaining.push(log)
    else {
      await drop(services, row)
      moved.push(...logs.filter(({ token, payTo }) => sameAddress(token, row.token) && payTo === row.payTo))
    }
  }
  return { remaining, moved }
}

/**
 * Reads one transaction, which a notification names: a transfer to any address of ours counts, also where no payment was
 * requested, and of another token, which is only recorded. Returns how many transfers were for the service.
 */
export async function readTransaction(services: Services, txHash: Hex): Promise<number> {
  const { db } = services
  const chain = await chainOf(services)
  const transfers = await chain.transfersOf(txHash)
  const addresses = transfers.map(({ payTo }) => payTo)
  const held = await cryptoWallets.heldAmong(db, [...addresses, ...transfers.map(({ payer }) => payer)])
  const ofPayments = await db.rows(statements.knownAddresses(addresses))
  const isOurs = (payTo: Hex) => held.has(payTo) || ofPayments.some(({ address }) => address === payTo)
  // What the service moves between its addresses is no payment.
  const ours = transfers.filter(({ payer, payTo }) => isOurs(payTo) && !held.has(payer))
  const [first] = ours
  if (first) {
    for (const row of await db.rows(statements.seenTransfersOf(chain.network.id, txHash)))
      if (!transfers.some(log => isLogOf(log, row))) await drop(services, row)
    await record(services, await withNonces(chain, ours, { from: first.blockNumber, to: first.blockNumber }))
  }
  await readChain(services)
  return ours.length
}
