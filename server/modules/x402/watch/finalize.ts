import { accounts, post, type Journal } from '#ledger'
import { paymentDestination, type Destination } from '#payments'
import { cryptoWallets, requireWallet, sweepIfDeleted } from '#wallets'
import { audit, SYSTEM } from '#platform/kernel/audit'
import { DatabaseAway, type Tx } from '#platform/kernel/db'
import { transition } from '#platform/kernel/machine'
import type { Leg } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { ChainAway, type Chain, type ChainTransfer } from '../chain/port.ts'
import { gasLeg } from '../gas.ts'
import { paymentMachine } from '../payment/machine.ts'
import * as payments from '../payment/sql.ts'
import type { Payment } from '../payment/sql.ts'
import * as statements from './sql.ts'
import type { SuspenseReason, TransferRow } from './sql.ts'

const ASSET = 'USDC'

interface Finality {
  /** What this reading found in the chain. */
  present: readonly ChainTransfer[]
  /** The newest block that counts as final. */
  lastBlock: bigint
}

/**
 * Posts the recorded transfers that have their confirmations, each in a transaction of its own. One that cannot be posted is
 * logged and tried again by the next reading, so that it does not stop the others. Throws ChainAway and DatabaseAway.
 */
export async function finalize(
  services: Services,
  chain: Chain,
  { present, lastBlock }: Finality,
): Promise<void> {
  const { db, log } = services
  for (const row of await db.rows(statements.seenTransfers(chain.network.id))) {
    const inChain = present.find(each => each.txHash === row.txHash && each.logIndex === row.logIndex)
    if (!inChain || inChain.blockNumber > lastBlock) continue
    try {
      await finalizeOne(services, chain, row)
    } catch (err) {
      if (err instanceof ChainAway || err instanceof DatabaseAway) throw err
      log.error(
        { err, transfer: row.id, txHash: row.txHash },
        'x402: a transfer cannot be posted, it will be tried again',
      )
    }
  }
}

async function finalizeOne(services: Services, chain: Chain, row: TransferRow): Promise<void> {
  const reason = await services.db.transaction(tx => finishTransfer(tx, row.id))
  if (reason)
    services.log.error(
      { transfer: row.id, txHash: row.txHash, reason },
      'x402: a transfer waits in suspense for an operator',
    )
  await postGas(services, chain, row)
}

/** Posts one transfer; answers the reason if it went to suspense. */
async function finishTransfer(tx: Tx, id: string): Promise<SuspenseReason | null> {
  const { paymentId } = await tx.one(statements.lockTransfer(id))
  const payment = paymentId === null ? null : await tx.one(payments.lockPayment(paymentId))
  const row = await tx.one(statements.lockTransfer(id))
  if (row.status !== 'SEEN') return null
  const reason = row.reason ?? (payment && isSettled(payment) && isHeld(payment) ? 'PAID_TWICE' : null)
  const journal = reason || !payment ? await suspend(tx, { ...row, reason }) : await pay(tx, row, payment)
  await tx.run(statements.finishTransfer(id, { reason, journalId: journal?.id ?? null, now: tx.now }))
  return reason
}

/** Another transfer is final and has paid it. */
const isSettled = ({ status }: Payment): boolean => status === 'FINAL' || status === 'LATE'
/** False for the seller's own address: what arrives there is not the service's to post. */
const isHeld = ({ holder }: Payment): boolean => holder !== 'PROVIDED'

/** The key of the journal of a transfer, once for each event of the chain. */
export const keyOf = ({ network, txHash, logIndex }: TransferRow): string =>
  `x402/${network}/${txHash}/${logIndex}`

async function pay(tx: Tx, row: TransferRow, payment: Payment): Promise<Journal | null> {
  if (isSettled(payment)) return null
  const journal = isHeld(payment) ? await credit(tx, row, payment) : null
  const isLate = payment.status === 'EXPIRED' || payment.status === 'FAILED'
  await transition(tx, paymentMachine, payment, {
    event: isLate ? 'arrive_late' : 'finalize',
    by: 'chain',
    details: { txHash: row.txHash },
    set: { transferId: row.id, journalId: journal?.id ?? null },
  })
  await tx.run(payments.erasePayload(payment.id))
  return journal
}

/** Posts the money of a payment from custody to where it is meant for. */
async function credit(tx: Tx, row: TransferRow, payment: Payment): Promise<Journal> {
  const { legs, reference } = await destinationOf(tx, payment)
  const journal = await post(tx, {
    kind: 'x402_payment',
    key: keyOf(row),
    legs,
    reference: { ...reference, paymentId: payment.id, transferId: row.id },
  })
  for (const walletId of creditedWallets(legs)) await sweepIfDeleted(tx, walletId)
  return journal
}

/** An agent's wallet, or what the purpose says; suspense if this version does not know the purpose. */
async function destinationOf(tx: Tx, payment: Payment): Promise<Destination> {
  const { id: paymentId, purpose, reference, amount, network, walletId } = payment
  const source = accounts.custody(network, ASSET)
  if (walletId !== null) {
    const wallet = await cryptoWallets.openWallet(tx, await requireWallet(tx, walletId), ASSET)
    return { legs: [{ debit: source, credit: accounts.wallet(wallet.id), amount, asset: ASSET }] }
  }
  if (!paymentDestination.isKey(purpose))
    return { legs: [{ debit: source, credit: accounts.suspense, amount, asset: ASSET }] }
  return paymentDestination.call(tx, purpose, { paymentId, reference, amount, asset: ASSET, source })
}

const WALLET = accounts.wallet('')
const creditedWallets = (legs: readonly Leg[]): string[] =>
  legs.filter(leg => leg.credit.startsWith(WALLET)).map(leg => leg.credit.slice(WALLET.length))

/** Keeps money that pays nothing in suspense until an admin decides; another token is only recorded. */
async function suspend(tx: Tx, row: TransferRow): Promise<Journal | null> {
  const { id, network, reason, paymentId, amount, payer, txHash } = row
  await audit(tx, SYSTEM, 'x402.suspended', {
    target: ['chain_transfer', id],
    details: { reason, paymentId, amount, payer, txHash },
  })
  if (reason === 'WRONG_TOKEN') return null
  return post(tx, {
    kind: 'x402_suspense',
    key: keyOf(row),
    legs: [
      {
        debit: accounts.custody(network, ASSET),
        credit: accounts.suspense,
        amount: BigInt(amount),
        asset: ASSET,
      },
    ],
    reference: { transferId: id },
  })
}

/** Posts what our own transaction cost, if this transfer came by one. */
async function postGas(services: Services, chain: Chain, { paymentId, txHash }: TransferRow): Promise<void> {
  if (paymentId === null || services.config.X402_FACILITATOR_URL !== undefined) return
  const authorization = await services.db.maybe(payments.authorizationOfPayment(paymentId))
  if (authorization?.txHash !== txHash || authorization.gas !== null) return
  const receipt = await chain.receiptOf(txHash)
  if (!receipt) return
  await services.db.transaction(async tx => {
    const leg = gasLeg(services, chain.network, receipt.gasWei)
    if (!(await tx.run(payments.setGas(authorization.id, leg.amount)))) return
    await post(tx, {
      kind: 'x402_gas',
      key: `x402/gas/${chain.network.id}/${txHash}`,
      legs: [leg],
      reference: { paymentId },
    })
  })
}
