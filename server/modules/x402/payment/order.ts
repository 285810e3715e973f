import { paymentDestination, paymentFailed, type PaymentPurpose } from '#payments'
import { after, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { publish } from '#platform/kernel/events'
import type { Services } from '#platform/kernel/services'
import { addressOfKey, depositKey } from '../chain/keys.ts'
import { networkOf } from '../chain/network.ts'
import { acceptsOf, payUrlOf, statusUrlOf } from './requirements.ts'
import * as statements from './sql.ts'
import type { NewPayment, Payment } from './sql.ts'

/** How long a payment can be made, and how long afterwards a transfer to its address is still recorded. */
export const PAYABLE_MS = DAY
const WATCHED_MS = 30 * DAY

export interface X402Order {
  /** Id of the payment: the same id does nothing twice. */
  id: string
  purpose: PaymentPurpose
  /** What the purpose refers to, as for card payments: the id of a wallet, or of an escrow. */
  reference: string
  accountId: string
  /** Micro-units of USDC. */
  amount: bigint
  /** Shown to the payer. */
  description: string
  /** Business time; a day from now by default. */
  expiresAt?: Date
}

/** What a payer needs: an x402 client pays at `payUrl`, any other wallet sends the amount to `payTo`. */
export interface X402Instructions {
  paymentId: string
  payTo: string
  network: string
  payUrl: string
  statusUrl: string
  accepts: ReturnType<typeof acceptsOf>
  expiresAt: Date
}

/**
 * Starts a payment in USDC for a purpose, to an address of its own. When the transfer is final, the purpose's destination
 * (`paymentDestination`) gets the money, also if it comes late; `paymentFailed` is published when nobody paid in time.
 */
export async function startX402Payment(
  tx: Tx,
  services: Services,
  order: X402Order,
): Promise<X402Instructions> {
  const { id, purpose, reference, accountId, amount, description } = order
  const existing = await tx.maybe(statements.paymentById(id))
  return instructionsOf(
    services,
    existing ??
      (await insert(tx, {
        id,
        purpose,
        reference,
        accountId,
        amount,
        description,
        agentId: null,
        walletId: null,
        holder: 'DEPOSIT',
        ...(await depositAddress(tx, services)),
        network: networkOf(services.config).id,
        buyerAddress: null,
        paymentIdentifier: null,
        negotiationId: null,
        ...timesOf(tx, order.expiresAt),
      })),
  )
}

async function depositAddress(
  tx: Tx,
  services: Services,
): Promise<{ depositIndex: number; payTo: `0x${string}` }> {
  const { index } = await tx.one(statements.nextDepositIndex())
  return { depositIndex: index, payTo: await addressOfKey(await depositKey(services, index)) }
}

/** The moments of a new payment. */
export const timesOf = (tx: Tx, expiresAt = after(tx.now, PAYABLE_MS)) => ({
  expiresAt,
  watchUntil: after(expiresAt, WATCHED_MS),
  requestedAt: tx.clock.real(),
  createdAt: tx.now,
})

const insert = (tx: Tx, row: NewPayment): Promise<Payment> => tx.one(statements.insertPayment(row))

export const instructionsOf = (services: Services, payment: Payment): X402Instructions => ({
  paymentId: payment.id,
  payTo: payment.payTo,
  network: payment.network,
  payUrl: payUrlOf(services, payment.id),
  statusUrl: statusUrlOf(services, payment.id),
  accepts: acceptsOf(services, payment),
  expiresAt: payment.expiresAt,
})

/** Notifies those who wait for a payment of a shared purpose; nobody waits for a payment to an agent. */
export async function publishFailure(
  tx: Tx,
  { id: paymentId, purpose, reference }: Payment,
  reason: string,
): Promise<void> {
  if (paymentDestination.isKey(purpose))
    await publish(tx, paymentFailed, { paymentId, purpose, reference, reason })
}
