import { setTimeout as sleep } from 'node:timers/promises'
import { after, HOUR, MINUTE, SECOND } from '#platform/kernel/clock'
import { apiError } from '#platform/kernel/errors'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { chainOf } from '../chain/open.ts'
import { ChainAway, Reverted, type Chain } from '../chain/port.ts'
import { X402 } from '../errors.ts'
import { readChain } from '../watch/look.ts'
import { publishFailure } from './order.ts'
import { paymentMachine } from './machine.ts'
import { LONGEST_SECONDS } from './requirements.ts'
import * as statements from './sql.ts'
import type { AuthorizationRow, Payment } from './sql.ts'

/** Longer than one attempt takes: after it another process may make the next. */
const ATTEMPT_MS = MINUTE
/** How long a request waits for its settlement. */
const PATIENCE_MS = 20 * SECOND
/** How long after its end an authorization may still appear in a block that this node has not reported. */
const GRACE_SECONDS = 60n
/** How long an authorization is tried that is valid for years, as earlier versions took them. */
const OVERLONG_MS = 6 * HOUR
/** How long after that a used nonce may still mean a transfer that this node has not reported. */
const USED_MS = HOUR
const NOT_SETTLED = 'the authorization was not settled in time'
const NOT_SETTLED_HINT =
  'The service no longer sends the authorization: request a new payment. A transfer that comes all the same counts as LATE'
const EXPIRED_HINT =
  'The authorization expired before it was settled and nothing was charged: request a new payment'
const GWEI = 1_000_000_000n

/** Settles a claimed authorization, or waits for the process that does. */
export async function settleAndWait(
  services: Services,
  claimed: AuthorizationRow,
): Promise<{ payment: Payment; authorization: AuthorizationRow }> {
  const { db } = services
  await attemptSettlement(services, claimed.id)
  const deadline = performance.now() + PATIENCE_MS
  for (let pause = 10; ; pause = Math.min(pause * 2, 250)) {
    const payment = await db.one(statements.paymentById(claimed.paymentId))
    if (isPaid(payment))
      return { payment, authorization: await db.one(statements.authorizationOfPayment(payment.id)) }
    if (payment.status === 'FAILED')
      throw apiError(X402.X402_PAYMENT_ENDED, {
        hint: payment.failure === NOT_SETTLED ? NOT_SETTLED_HINT : EXPIRED_HINT,
        details: { status: payment.status },
      })
    if (performance.now() >= deadline || (await isPostponed(services, claimed.id))) throw notSettled()
    await sleep(pause)
  }
}

const isPaid = ({ status }: Payment): boolean => ['CONFIRMED', 'FINAL', 'LATE'].includes(status)

const notSettled = () =>
  apiError(X402.X402_SETTLEMENT_PENDING, {
    hint: 'The service retries by itself: repeat the request with the same header for the result',
    headers: { 'Retry-After': '5' },
  })

/** True if an attempt failed and the next one is to come: waiting for it would only hold the request. */
async function isPostponed({ db }: Services, id: string): Promise<boolean> {
  const row = await db.maybe(statements.postponed(id))
  return row !== undefined
}

/**
 * Sends a claimed authorization to the chain, unless another process does so now, and reads what the chain says. Repeated
 * until it is confirmed, or failed because its time has passed: the token executes an authorization at most once.
 */
export async function attemptSettlement(services: Services, id: string): Promise<void> {
  const { db, clock, log } = services
  const real = clock.real()
  const row = await db.maybe(statements.startAttempt(id, real, after(real, ATTEMPT_MS)))
  if (!row) return
  try {
    const chain = await chainOf(services)
    if (row.attempts > 1 && (await endedAlready(services, chain, row))) return
    await send(services, chain, row)
    await readChain(services)
  } catch (error) {
    if (!(error instanceof ChainAway || error instanceof Reverted)) throw error
    log.warn(
      { err: error, payment: row.paymentId, attempts: row.attempts },
      'x402: not settled, it will be retried',
    )
  } finally {
    await db.run(statements.postponeAttempt(id, after(clock.real(), pauseOf(row.attempts))))
  }
}

// 2, 4, 8, ... seconds, at most a minute: an authorization is valid for a few minutes.
const pauseOf = (attempts: number): number => Math.min(SECOND * 2 ** attempts, MINUTE)

/** True if the transfer is on the chain, or cannot come any more, which ends the payment. */
async function endedAlready(services: Services, chain: Chain, row: AuthorizationRow): Promise<boolean> {
  const { timestamp } = await chain.head()
  const reason = await whyOver(services, chain, row, timestamp)
  await readChain(services)
  return services.db.transaction(async tx => {
    const payment = await tx.one(statements.lockPayment(row.paymentId))
    if (payment.status !== 'VERIFIED' && payment.status !== 'SETTLING') return true
    if (reason === null) return false
    await transition(tx, paymentMachine, payment, { event: 'fail', by: 'chain', set: { failure: reason } })
    await tx.run(statements.retryAt(row.id, null))
    await tx.run(statements.erasePayload(payment.id))
    await publishFailure(tx, payment, reason)
    return true
  })
}

/** Why an authorization is sent no more; null while it is. Should its transfer come all the same, the payment is LATE. */
async function whyOver(
  { clock }: Services,
  chain: Chain,
  { validBefore, payer, nonce, createdAt }: AuthorizationRow,
  timestamp: bigint,
): Promise<string | null> {
  if (timestamp > validBefore + GRACE_SECONDS) return 'the authorization expired before it was settled'
  const end = after(createdAt, OVERLONG_MS)
  if (validBefore <= timestamp + LONGEST_SECONDS || clock.now() < end) return null
  // A nonce that stays used without a transfer was cancelled, or paid somebody else.
  const mayBePaid = clock.now() <= after(end, USED_MS) && (await chain.isUsed(payer, nonce))
  return mayBePaid ? null : NOT_SETTLED
}

async function send(services: Services, chain: Chain, row: AuthorizationRow): Promise<void> {
  const { db, config, log } = services
  const price = await chain.gasPrice()
  if (price > BigInt(config.CHAIN_MAX_GAS_GWEI) * GWEI)
    throw new ChainAway(`the gas price of ${price} wei is above CHAIN_MAX_GAS_GWEI`)
  await db.transaction(async tx => {
    const payment = await tx.one(statements.lockPayment(row.paymentId))
    if (payment.status === 'VERIFIED')
      await transition(tx, paymentMachine, payment, { event: 'settle', by: 'service' })
  })
  const { settled, reason } = await chain.settle(row.payload, row.requirements, async txHash => {
    await db.run(statements.setTransaction(row.id, txHash))
  })
  if (!settled) log.warn({ payment: row.paymentId, reason }, 'x402: the settlement failed')
}
