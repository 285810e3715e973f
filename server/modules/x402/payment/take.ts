import type { IncomingHttpHeaders } from 'node:http'
import type { Db, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { isId, newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { networkOf } from '../chain/network.ts'
import { chainOf } from '../chain/open.ts'
import { ChainAway } from '../chain/port.ts'
import { X402 } from '../errors.ts'
import { mismatchOf, paymentIn, requirementsFor, type SignedPayment } from './authorization.ts'
import { paymentMachine } from './machine.ts'
import { paymentRequired } from './required.ts'
import type { Terms } from './requirements.ts'
import { settleAndWait } from './settle.ts'
import * as statements from './sql.ts'
import type { AuthorizationRow, Payment } from './sql.ts'

/** A resource that costs something. */
export interface PaidResource {
  terms: Terms
  /** The payment that pays it, locked; a resource without one inserts it. */
  lock(tx: Tx): Promise<Payment>
  /** True if an earlier payment paid this resource, so that its result may be repeated. */
  isPaidBy(payment: Payment): boolean
}

/**
 * Takes the payment of a request: checks it, claims its authorization before anything is sent, settles it and waits until it
 * is in a block. The same authorization again gets the result of the first, also in parallel. ApiErrors: 402 without a
 * valid payment, 400 for a header that cannot be read, 409 for a payment that has ended, 503 if the chain does not answer.
 */
export async function takePayment(
  services: Services,
  resource: PaidResource,
  headers: IncomingHttpHeaders,
): Promise<{ payment: Payment; authorization: AuthorizationRow }> {
  const signed = paymentIn(headers)
  if (!signed) throw paymentRequired(services, resource.terms, null)
  return settleAndWait(services, await claimPayment(services, resource, signed))
}

/** The claimed authorization of a payment that was checked; nothing is sent yet. */
export async function claimPayment(
  services: Services,
  resource: PaidResource,
  signed: SignedPayment,
): Promise<AuthorizationRow> {
  const key = keyOf(services, signed)
  const earlier = await services.db.maybe(statements.authorizationOf(key))
  if (earlier) return sameClaim(services, { resource, signed, earlier })
  await check(services, resource, signed)
  try {
    return await services.db.transaction(tx => claim(tx, services, resource, signed))
  } catch (error) {
    if (!(error instanceof ClaimedMeanwhile)) throw error
    return sameClaim(services, {
      resource,
      signed,
      earlier: await services.db.one(statements.authorizationOf(key)),
    })
  }
}

class ClaimedMeanwhile extends Error {}

const keyOf = ({ config }: Services, { authorization: { from, nonce } }: SignedPayment) => {
  const { id, token } = networkOf(config)
  return { network: id, asset: token, payer: from, nonce }
}

/** An authorization that was claimed before, for the same resource and with the same signature. */
async function sameClaim(
  services: Services,
  { resource, signed, earlier }: { resource: PaidResource; signed: SignedPayment; earlier: AuthorizationRow },
): Promise<AuthorizationRow> {
  const payment = await services.db.one(statements.paymentById(earlier.paymentId))
  if (earlier.signature !== signed.signature || !resource.isPaidBy(payment))
    throw paymentRequired(services, resource.terms, 'authorization_already_used')
  return earlier
}

async function check(services: Services, { terms }: PaidResource, signed: SignedPayment): Promise<void> {
  const network = networkOf(services.config)
  const refuse = (reason: string | null) => paymentRequired(services, terms, reason)
  const seconds = BigInt(Math.floor(services.clock.real().getTime() / 1000))
  const reason = mismatchOf(signed, network, terms, seconds)
  if (reason) throw refuse(reason)
  const chain = await chainOf(services)
  try {
    // Asked first: a facilitator reports a node that is away as an invalid payment.
    const { timestamp } = await chain.head()
    if (signed.authorization.validBefore <= timestamp)
      throw refuse('invalid_exact_evm_payload_authorization_valid_before')
    const { valid, reason } = await chain.verify(signed.payload, requirementsFor(signed, network, terms))
    if (!valid) throw refuse(reason)
  } catch (error) {
    if (!(error instanceof ChainAway)) throw error
    throw apiError(X402.CHAIN_UNAVAILABLE, { hint: 'Nothing was charged: try again', cause: error })
  }
}

async function claim(
  tx: Tx,
  services: Services,
  resource: PaidResource,
  signed: SignedPayment,
): Promise<AuthorizationRow> {
  const network = networkOf(services.config)
  const payment = await resource.lock(tx)
  const key = keyOf(services, signed)
  if (await tx.maybe(statements.authorizationOf(key))) throw new ClaimedMeanwhile()
  requirePayable(payment)
  const row = await tx.maybe(
    statements.insertAuthorization({
      id: newId(),
      paymentId: payment.id,
      ...key,
      signature: signed.signature,
      validBefore: signed.authorization.validBefore,
      version: signed.version,
      payload: signed.payload,
      requirements: requirementsFor(signed, network, resource.terms),
      retryAt: tx.clock.real(),
      createdAt: tx.now,
    }),
  )
  // A parallel request claimed it for a payment of its own: this one inserted nothing.
  if (!row) throw new ClaimedMeanwhile()
  await transition(tx, paymentMachine, payment, { event: 'verify', by: 'payer' })
  return row
}

/** 409 unless the payment waits for its payer. */
export function requirePayable({ id: transactionId, status }: Payment): void {
  if (status === 'PENDING') return
  if (status === 'VERIFIED' || status === 'SETTLING')
    throw apiError(X402.X402_PAYMENT_BUSY, {
      hint: 'Another authorization is being settled: repeat that request, or read the status',
      details: { status, transactionId },
    })
  throw apiError(X402.X402_PAYMENT_ENDED, {
    hint:
      status === 'EXPIRED' || status === 'FAILED'
        ? 'Nobody paid it in time: request a new payment, without this paymentIdentifier'
        : 'It is paid: read its status',
    details: { status, transactionId },
  })
}

/** The resource of a stored payment: paying it. ApiError 404 for an unknown id. */
export async function requirePayment(db: Pick<Db, 'maybe'>, id: string): Promise<Payment> {
  const payment = isId(id) ? await db.maybe(statements.paymentById(id)) : undefined
  if (!payment) throw apiError(X402.X402_PAYMENT_NOT_FOUND)
  return payment
}
