import { hasChain, sendingsBetween, type Sent } from '#x402'
import {
  difference,
  firstBy,
  type Difference,
  type RailReport,
  type ReconciliationOrder,
} from '#reconciliation'
import type { Db } from '#platform/kernel/db'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { pursueSent } from '../payout/pursue.ts'
import { payoutById, type Payout } from '../payout/sql.ts'
import * as statements from './sql.ts'

/** Compares the payouts to the chain with what was sent there, both ways; a state that was missed is booked if `repair` says so. */
export const reconcileChainPayouts =
  (services: Services) =>
  async (db: Db, order: ReconciliationOrder): Promise<RailReport> => {
    const ended = hasChain(services) ? await db.rows(statements.chainPayoutsIn(order, [])) : []
    const sent = await sendingsBetween(
      services,
      order,
      ended.map(({ id }) => id),
    )
    const payouts = await db.rows(
      statements.chainPayoutsIn(
        order,
        sent.map(({ id }) => id),
      ),
    )
    const differences: Difference[] = []
    for (const each of compareChainPayouts(payouts, sent))
      differences.push(order.repair ? await repaired(services, each) : each)
    return { rail: 'chain-payout', compared: sent.length, differences }
  }

const usdc = (amount: bigint): string => `${formatMoney(amount)} USDC`

function compareChainPayouts(payouts: readonly Payout[], sent: readonly Sent[]): Difference[] {
  const paid = new Set(sent.filter(({ status }) => status === 'PAID').map(({ id }) => id))
  const byId = firstBy(payouts, ({ id }) => id)
  return [
    ...sent.flatMap(each => sendingDifferences(each, byId.get(each.id))),
    ...payouts
      .filter(({ id, status }) => status === 'PAID' && !paid.has(id))
      .map(({ id: ourId, transferId: externalId, amount }) =>
        difference('MISSING_AT_PROCESSOR', 'payout', {
          externalId,
          ourId,
          actual: usdc(amount),
          note: 'The ledger has paid it, and nothing was sent: find out why',
        }),
      ),
  ]
}

function sendingDifferences(sent: Sent, payout: Payout | undefined): Difference[] {
  const about = {
    externalId: sent.txHash,
    ourId: payout?.id ?? sent.id,
    expected: usdc(sent.amount),
  }
  if (!payout)
    return [
      difference('MISSING_HERE', 'payout', {
        ...about,
        note: 'No payout caused this transfer: find out who ordered it',
      }),
    ]
  const found: Difference[] = []
  const isPaid = sent.status === 'PAID'
  if (isPaid && sent.amount !== payout.amount)
    found.push(
      difference('AMOUNT_DIFFERS', 'payout', {
        ...about,
        actual: usdc(payout.amount),
        note: 'The books are not what was sent: correct them',
      }),
    )
  if (isPaid && sent.toAddress.toLowerCase() !== payout.destination.toLowerCase())
    found.push(
      difference('EVENT_ALTERED', 'payout', {
        ...about,
        expected: sent.toAddress,
        actual: payout.destination,
        note: 'The payout names another address than the transfer: find out who changed it',
      }),
    )
  const hasEnded = isPaid || sent.status === 'FAILED'
  if (hasEnded && payout.status !== sent.status && !(isPaid && payout.status === 'RETURNED'))
    found.push(
      difference('STATE_DIFFERS', 'payout', {
        ...about,
        expected: sent.status,
        actual: payout.status,
        note: 'The chain has decided it: find out why the payout does not follow',
      }),
    )
  return found
}

async function repaired(services: Services, found: Difference): Promise<Difference> {
  if (found.kind !== 'STATE_DIFFERS' || found.ourId === null) return found
  await pursueSent(services, found.ourId)
  const { status } = await services.db.one(payoutById(found.ourId))
  return status === found.expected ? { ...found, note: 'It was read again and booked', isOpen: false } : found
}
