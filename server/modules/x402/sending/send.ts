import { accounts } from '#ledger'
import { createHash } from 'node:crypto'
import { after, DAY, MINUTE, SECOND } from '#platform/kernel/clock'
import type { Db } from '#platform/kernel/db'
import { transition } from '#platform/kernel/machine'
import type { Leg } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { hotKey } from '../chain/keys.ts'
import { networkOf } from '../chain/network.ts'
import { chainOf, confirmationsOf } from '../chain/open.ts'
import { ChainAway, Reverted, type Chain, type Hex, type Receipt } from '../chain/port.ts'
import { gasLeg } from '../gas.ts'
import { sendingMachine } from './machine.ts'
import * as statements from './sql.ts'
import type { Sending } from './sql.ts'
import { collect } from './collect.ts'

export interface SendOrder {
  /** Our id (UUID), which the nonce on the chain follows from: whatever is repeated, the money leaves once. */
  id: string
  toAddress: Hex
  /** Micro-units of USDC. */
  amount: bigint
}

/** What became of an order, in the states of a payout. */
export interface SendReport {
  id: string
  state: 'pending' | 'in_transit' | 'paid' | 'failed'
  txHash: string | null
  failure: { code: string; message: string } | null
  /** The account that the money leaves from, for the posting of the payout. */
  custody: string
  /** The cost of the transaction, for the same posting; null until it is paid. */
  gas: Leg | null
}

/** How long it is tried to send. */
const GIVE_UP_MS = DAY
/** How long one authorization is valid: so long it is unknown whether a transaction that was sent takes effect. */
const VALID_SECONDS = 3600n
const ATTEMPT_MS = MINUTE
/** Refusals by the token after which nothing more is sent, such as for a recipient that it has blocked. */
const MAX_REFUSALS = 5
/** How far the clocks of the chain and of the service may differ. */
const CLOCK_SECONDS = 300n
const GWEI = 1_000_000_000n

/**
 * Sends USDC from the custody of the service to an address. It is stored first and sent by the timer, which `readTransfer`
 * reports on; the same `id` again changes nothing. Call it outside a transaction.
 */
export async function sendUsdc(
  services: Services,
  { id, toAddress, amount }: SendOrder,
): Promise<SendReport> {
  const { db, clock, config } = services
  const real = clock.real()
  const row = {
    id,
    toAddress,
    amount,
    network: networkOf(config).id,
    nonce: nonceOf(id),
    real,
    now: clock.now(),
  }
  const inserted = await db.maybe(statements.insertSending({ ...row, giveUpAt: after(real, GIVE_UP_MS) }))
  return report(services, inserted ?? (await db.one(statements.sendingById(id))))
}

/** What became of an order of `sendUsdc`; null if there is none with this id. */
export async function readTransfer(services: Services, id: string): Promise<SendReport | null> {
  const row = await services.db.maybe(statements.sendingById(id))
  return row ? report(services, row) : null
}

const nonceOf = (id: string): Hex => `0x${createHash('sha256').update(`svc/sending/${id}`).digest('hex')}`

const STATES = { PENDING: 'pending', SENT: 'in_transit', PAID: 'paid', FAILED: 'failed' } as const

function report({ config }: Services, row: Sending): SendReport {
  const { id, status, network, txHash, failureCode, failureMessage, gas } = row
  return {
    id,
    state: STATES[status],
    txHash,
    failure: failureCode === null ? null : { code: failureCode, message: failureMessage ?? '' },
    custody: accounts.custody(network, 'USDC'),
    gas: gas === null ? null : { ...gasLeg({ config }, networkOf(config), 0n), amount: gas },
  }
}

/** One attempt of what is due: pays, confirms or gives up. */
export async function advanceSending(services: Services, id: string): Promise<void> {
  const { db, clock, log } = services
  const real = clock.real()
  const row = await db.maybe(statements.startAttempt(id, real, after(real, ATTEMPT_MS)))
  if (!row) return
  try {
    await advance(services, await chainOf(services), row)
  } catch (error) {
    if (!(error instanceof ChainAway || error instanceof Reverted)) throw error
    log.warn({ err: error, sending: id, attempts: row.attempts }, 'x402: not sent, it will be retried')
    if (error instanceof Reverted)
      await db.run(statements.refuse(id, error.message, row.attempts < MAX_REFUSALS ? row.giveUpAt : real))
  } finally {
    const pause = row.status === 'SENT' ? SECOND : Math.min(SECOND * 2 ** row.attempts, MINUTE)
    await db.run(statements.postpone(id, after(clock.real(), pause)))
  }
}

async function advance(services: Services, chain: Chain, row: Sending): Promise<void> {
  const { db, clock } = services
  const { timestamp, number } = await chain.head()
  const receipt = row.txHash && (await chain.receiptOf(row.txHash))
  if (receipt?.succeeded) {
    if (number - receipt.blockNumber + 1n >= BigInt(confirmationsOf(services)))
      await finish(services, chain, row, receipt)
    return
  }
  // Of an authorization that was used by a transaction whose answer was lost, the receipt is found by its event.
  if (await chain.isUsed(chain.hotAddress, row.nonce)) {
    const since = clock.real().getTime() - (row.giveUpAt.getTime() - GIVE_UP_MS)
    // A block takes a second or more.
    const first = number - BigInt(Math.ceil(since / SECOND)) - CLOCK_SECONDS
    const used = await chain.authorizationsUsed([chain.hotAddress], first > 0n ? first : 0n, number)
    const found = used.find(({ nonce }) => nonce === row.nonce)
    if (found) await db.run(statements.setTransaction(row.id, found.txHash))
    return
  }
  const isValid = row.validBefore !== null && row.validBefore > timestamp
  if (clock.real() >= row.giveUpAt) return isValid ? undefined : fail(db, row)
  await send(
    services,
    chain,
    row,
    isValid && row.validBefore !== null ? row.validBefore : timestamp + VALID_SECONDS,
  )
}

async function send(services: Services, chain: Chain, row: Sending, validBefore: bigint): Promise<void> {
  const { db, config } = services
  if ((await chain.gasPrice()) > BigInt(config.CHAIN_MAX_GAS_GWEI) * GWEI)
    throw new ChainAway('the gas price is above CHAIN_MAX_GAS_GWEI')
  await collect(services, chain, row.amount)
  const authorization = {
    from: chain.hotAddress,
    to: row.toAddress,
    value: row.amount,
    validAfter: 0n,
    validBefore,
    nonce: row.nonce,
  }
  const signature = await chain.sign(await hotKey(services), authorization)
  // Stored before it is sent: from here on it is unknown whether the money left.
  await db.transaction(async tx => {
    const locked = await tx.one(statements.lockSending(row.id))
    await transition(tx, sendingMachine, locked, { event: 'send', by: 'service', set: { validBefore } })
  })
  await db.run(statements.setTransaction(row.id, await chain.send(authorization, signature)))
}

const finish = (services: Services, chain: Chain, { id }: Sending, { gasWei, blockNumber }: Receipt) =>
  services.db.transaction(async tx => {
    const row = await tx.one(statements.lockSending(id))
    if (row.status !== 'SENT') return
    const gas = gasLeg(services, chain.network, gasWei).amount
    await transition(tx, sendingMachine, row, {
      event: 'confirm',
      by: 'chain',
      set: { gas, blockNumber, retryAt: null },
    })
  })

const fail = (db: Db, { id }: Sending): Promise<void> =>
  db.transaction(async tx => {
    const row = await tx.one(statements.lockSending(id))
    if (row.status !== 'PENDING' && row.status !== 'SENT') return
    const failure =
      row.refusal === null
        ? { failureCode: 'expired', failureMessage: 'The transfer could not be sent in a day' }
        : { failureCode: 'refused', failureMessage: row.refusal }
    await transition(tx, sendingMachine, row, {
      event: 'fail',
      by: 'service',
      set: { ...failure, retryAt: null },
    })
  })
