import type { ChainTransfer } from '../chain/port.ts'
import type { PaymentStatus } from '../payment/machine.ts'
import type { Payment } from '../payment/sql.ts'
import type { SuspenseReason } from './sql.ts'

export interface MatchInput {
  transfer: Pick<ChainTransfer, 'payer' | 'amount'>
  /** Whether the address of the transfer is a seller's own, at which the service holds nothing. */
  isElsewhere: boolean
  /** The unpaid payments to that address that the transfer may pay, the oldest first. */
  candidates: readonly Payment[]
  /** Those of them that another transfer pays, which is not final yet. */
  beingPaid: ReadonlySet<string>
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
 * What a transfer pays: the payment whose authorization it executed, else the oldest that waits for exactly this amount from
 * this payer, else the oldest that waits for this amount and names no buyer. Null where it is without meaning for the service: other money that a seller gets at an
 * address of its own.
 */
export function matchTransfer({
  transfer,
  isElsewhere,
  candidates: all,
  beingPaid,
  authorizedPaymentId,
  isOurToken,
}: MatchInput): Match | null {
  const candidates = isElsewhere ? all : all.filter(({ holder }) => holder !== 'PROVIDED')
  if (!isOurToken) return isElsewhere ? null : { payment: null, reason: 'WRONG_TOKEN' }
  const isPaid = ({ id }: Payment) => beingPaid.has(id)
  const claimed = candidates.find(({ id }) => id === authorizedPaymentId)
  if (claimed && !isPaid(claimed) && claimed.amount === transfer.amount)
    return { payment: claimed, reason: null }
  const unpaid = candidates.filter(payment => !isPaid(payment) && OPEN.has(payment.status))
  const open = unpaid.filter(payment => mayPay(payment, transfer.payer))
  const exact = open.filter(({ amount }) => amount === transfer.amount)
  const payment = namedFirst(exact.filter(isPending)) ?? namedFirst(exact)
  if (payment) return { payment, reason: null }
  if (isElsewhere) return null
  const others = candidates.filter(each => !unpaid.includes(each))
  return mismatch(transfer, open, others)
}

const isPending = ({ status }: Payment): boolean => status === 'PENDING'
/** A request that names the payer comes first: otherwise an older request of somebody else would take its transfer. */
const namedFirst = (payments: readonly Payment[]): Payment | undefined =>
  payments.find(({ buyerAddress }) => buyerAddress !== null) ?? payments[0]

const OPEN: ReadonlySet<PaymentStatus> = new Set(['PENDING', 'EXPIRED', 'FAILED'])

// At a seller's own address any transfer may come for other reasons: there only the named buyer pays.
const mayPay = ({ buyerAddress, holder }: Payment, payer: string): boolean =>
  buyerAddress === null ? holder !== 'PROVIDED' : buyerAddress.toLowerCase() === payer.toLowerCase()

function mismatch(
  { amount }: MatchInput['transfer'],
  open: readonly Payment[],
  others: readonly Payment[],
): Match {
  const waiting = namedFirst(open.filter(isPending))
  if (waiting) return { payment: waiting, reason: amount < waiting.amount ? 'UNDERPAID' : 'OVERPAID' }
  const paid = others.find(payment => payment.amount === amount)
  return paid ? { payment: paid, reason: 'PAID_TWICE' } : { payment: null, reason: 'UNMATCHED' }
}
