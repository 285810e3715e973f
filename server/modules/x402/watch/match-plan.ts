import type { ChainTransfer } from '../chain/port.ts'
import type { Payment } from '../payment/sql.ts'
import type { SuspenseReason } from './sql.ts'

export interface MatchInput {
  transfer: Pick<ChainTransfer, 'payer' | 'amount'>
  /** The payments to the address of the transfer, the oldest first. */
  candidates: readonly Payment[]
  /** The payment for which the executed authorization was claimed. */
  authorizedPaymentId: string | null
  isOurToken: boolean
}

/** The payment that a transfer pays; with a reason it pays nothing and waits for an operator. */
export interface Match {
  payment: Payment | null
  reason: SuspenseReason | null
}

/**
 * What a transfer pays: the payment whose authorization it executed, else the oldest that waits for exactly this amount and,
 * if it names a buyer, for this payer. Null where it is without meaning for the service: other money that a seller gets at an
 * address of its own.
 */
export function matchTransfer({
  transfer,
  candidates,
  authorizedPaymentId,
  isOurToken,
}: MatchInput): Match | null {
  if (!isOurToken) return candidates.some(isHeldElsewhere) ? null : { payment: null, reason: 'WRONG_TOKEN' }
  const claimed = candidates.find(({ id }) => id === authorizedPaymentId)
  if (claimed && !isPaid(claimed) && claimed.amount === transfer.amount)
    return { payment: claimed, reason: null }
  const open = candidates.filter(payment => isOpen(payment) && mayPay(payment, transfer.payer))
  const exact = open.filter(({ amount }) => amount === transfer.amount)
  const payment = exact.find(({ status }) => status === 'PENDING') ?? exact[0]
  if (payment) return { payment, reason: null }
  if (candidates.some(isHeldElsewhere)) return null
  return mismatch(transfer, candidates, open)
}

const isPaid = ({ status }: Payment): boolean => ['CONFIRMED', 'FINAL', 'LATE'].includes(status)
const isOpen = ({ status }: Payment): boolean => ['PENDING', 'EXPIRED', 'FAILED'].includes(status)
const isHeldElsewhere = ({ holder }: Payment): boolean => holder === 'PROVIDED'

// At a seller's own address any transfer may come for other reasons: there only the named buyer pays.
const mayPay = ({ buyerAddress, holder }: Payment, payer: string): boolean =>
  buyerAddress === null ? holder !== 'PROVIDED' : buyerAddress.toLowerCase() === payer.toLowerCase()

function mismatch(
  { amount }: MatchInput['transfer'],
  candidates: readonly Payment[],
  open: readonly Payment[],
): Match {
  const waiting = open.find(({ status }) => status === 'PENDING')
  if (waiting) return { payment: waiting, reason: amount < waiting.amount ? 'UNDERPAID' : 'OVERPAID' }
  const paid = candidates.find(payment => !isOpen(payment) && payment.amount === amount)
  return paid ? { payment: paid, reason: 'PAID_TWICE' } : { payment: null, reason: 'UNMATCHED' }
}
