import type { Difference, RailReport, ReconciliationOrder } from '#reconciliation'
import { cryptoWallets } from '#wallets'
import { MINUTE, SECOND } from '#platform/kernel/clock'
import type { Db } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { chainOf, confirmationsOf, hasChain } from '../chain/open.ts'
import { ChainAway, type Chain, type ChainTransfer, type Hex } from '../chain/port.ts'
import { X402 } from '../errors.ts'
import { advanceSending } from '../sending/send.ts'
import { sendingById } from '../sending/sql.ts'
import { readChain, readTransaction } from '../watch/look.ts'
import { compareIncoming, logKey } from './incoming.ts'
import { compareOutgoing } from './outgoing.ts'
import * as statements from './sql.ts'

/** How far the clocks of the chain and of the service may differ. */
const CLOCK_MS = 5 * MINUTE

/**
 * Compares the transfers to and from our addresses on the chain with what was recorded, paid and sent, both ways. A transfer
 * that was missed is recorded if `repair` says so. Nothing is compared without a node; ApiError 503 if it does not respond.
 */
export const reconcileChain =
  (services: Services) =>
  async (db: Db, order: ReconciliationOrder): Promise<RailReport> => {
    if (!hasChain(services)) return { rail: 'chain', compared: 0, differences: [] }
    return compareChain(services, db, order).catch((cause: unknown) => {
      if (!(cause instanceof ChainAway)) throw cause
      throw apiError(X402.CHAIN_UNAVAILABLE, { hint: 'The comparison is incomplete: run it again', cause })
    })
  }

async function compareChain(services: Services, db: Db, order: ReconciliationOrder): Promise<RailReport> {
  const chain = await chainOf(services)
  // What arrived a moment ago is not missing.
  if (order.repair) await readChain(services)
  const { incoming, outgoing } = await transfersOf(services, chain, order)
  const { id: network, token } = chain.network
  const { number } = await chain.head()
  const lastBlock = number - BigInt(confirmationsOf(services)) + 1n
  const hashes = incoming.map(({ txHash }) => txHash)
  const recorded = await db.rows(statements.recordedTransfers({ network, token }, order, hashes))
  const used = await authorizationsOf(chain, outgoing)
  const sendings = await db.rows(
    statements.sendingsIn(network, order, { nonces: used.map(({ nonce }) => nonce) }),
  )
  const found = [
    ...compareIncoming({
      transfers: incoming,
      recorded: recorded.filter(row => row.reason !== 'WRONG_TOKEN'),
      lastBlock,
    }),
    ...compareOutgoing({ transfers: outgoing, used, sendings, lastBlock }),
  ]
  const differences: Difference[] = []
  for (const each of found) differences.push(order.repair ? await repaired(services, each) : each)
  return { rail: 'chain', compared: incoming.length + outgoing.length, differences }
}

/** The transfers of other people to our addresses, and from ours to others, in the blocks of the period. */
async function transfersOf(
  services: Services,
  chain: Chain,
  order: ReconciliationOrder,
): Promise<{ incoming: ChainTransfer[]; outgoing: ChainTransfer[] }> {
  const { db } = services
  const { id: network, token } = chain.network
  const recorded = await db.rows(statements.recordedTransfers({ network, token }, order, []))
  const sent = await db.rows(statements.sendingsIn(network, order, {}))
  const blocks = [...recorded, ...sent].flatMap(({ blockNumber }) => blockNumber ?? [])
  const { from, to } = await blocksOf(services, chain, order, blocks)
  const managed = await db.rows(cryptoWallets.managedAddresses())
  const ofPayments = await db.rows(statements.addressesSince(network, order.from))
  const addresses = [
    ...new Set([
      chain.hotAddress,
      ...managed.map(({ cryptoAddress }) => cryptoAddress as Hex),
      ...[...ofPayments, ...recorded].map(({ payTo }) => payTo),
    ]),
  ]
  const received = await chain.transfersTo(addresses, from, to)
  const left = await chain.transfersFrom(addresses, from, to)
  const isHeld = await heldBy(db, [...received, ...left])
  const known = new Set(recorded.map(logKey))
  return {
    incoming: received.filter(
      transfer => known.has(logKey(transfer)) || (isHeld(transfer.payTo) && !isHeld(transfer.payer)),
    ),
    outgoing: left.filter(
      ({ payer, payTo }) => payer === chain.hotAddress || (isHeld(payer) && !isHeld(payTo)),
    ),
  }
}

/** The blocks of a period, and of what was recorded in it: business time may be ahead of the chain's. */
async function blocksOf(
  { clock }: Services,
  chain: Chain,
  { from, to }: ReconciliationOrder,
  recorded: readonly bigint[],
): Promise<{ from: bigint; to: bigint }> {
  const offset = clock.now().getTime() - clock.real().getTime()
  const blockAt = (moment: Date) =>
    chain.firstBlockAt(BigInt(Math.max(0, Math.floor((moment.getTime() - offset) / SECOND))))
  const first = await blockAt(from)
  const isOver = to.getTime() < clock.now().getTime() - CLOCK_MS
  const last = isOver ? (await blockAt(to)) - 1n : (await chain.head()).number
  return {
    from: recorded.reduce((least, block) => (block < least ? block : least), first),
    to: recorded.reduce((most, block) => (block > most ? block : most), last),
  }
}

/** Whether the service holds the key of an address. */
async function heldBy(db: Db, transfers: readonly ChainTransfer[]): Promise<(address: Hex) => boolean> {
  const addresses = [...new Set(transfers.flatMap(({ payer, payTo }) => [payer, payTo]))]
  const held = await cryptoWallets.heldAmong(db, addresses)
  return address => held.has(address)
}

/** The authorizations of the hot address that these transfers executed. */
async function authorizationsOf(chain: Chain, outgoing: readonly ChainTransfer[]) {
  const blocks = outgoing.filter(({ payer }) => payer === chain.hotAddress).map(each => each.blockNumber)
  const [first] = blocks
  const last = blocks.at(-1)
  if (first === undefined || last === undefined) return []
  return chain.authorizationsUsed([chain.hotAddress], first, last)
}

/** Reads a transaction that was missed, and asks about a sending whose confirmation was. */
async function repaired(services: Services, found: Difference): Promise<Difference> {
  const { kind, subject, externalId, ourId } = found
  const isMissing = kind === 'MISSING_HERE' || kind === 'STATE_DIFFERS'
  if (!isMissing || !found.isOpen || externalId === null || found.actual === 'UNMATCHED') return found
  if (subject === 'transfer') return repairedTransfer(services, found, externalId as Hex)
  if (subject !== 'sending' || ourId === null) return found
  await advanceSending(services, ourId)
  const row = await services.db.maybe(sendingById(ourId))
  return row?.status === 'PAID' ? { ...found, note: 'It was read again and booked', isOpen: false } : found
}

async function repairedTransfer(services: Services, found: Difference, txHash: Hex): Promise<Difference> {
  await readTransaction(services, txHash)
  const { id: network, token } = (await chainOf(services)).network
  const never = { from: new Date(0), to: new Date(0) }
  const rows = await services.db.rows(statements.recordedTransfers({ network, token }, never, [txHash]))
  const row = found.ourId === null ? rows[0] : rows.find(({ id }) => id === found.ourId)
  if (!row || row.status === 'DROPPED') return found
  const done = { ...found, ourId: row.id }
  if (row.status === 'SEEN')
    return { ...done, note: 'It was read again and counts after its confirmations', isOpen: false }
  return row.reason === null
    ? { ...done, note: 'It was read again and booked', isOpen: false }
    : { ...done, note: 'It was read again and waits in suspense: assign or return it' }
}
