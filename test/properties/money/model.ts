/** The money of two people, in a few lines of memory. All amounts are micro-units. */
export type Side = 'buyer' | 'seller'
export const other = (person: number): number => 1 - person

export interface Funds {
  real: bigint
  test: bigint
}

export interface ModelEscrow {
  buyer: number
  /** Of the two funds the one that paid, which gets back what is refunded. */
  from: keyof Funds
  held: bigint
  released: bigint
  fees: bigint
  status: 'HELD' | 'DISPUTED' | 'ENDED'
  frozen: boolean
  openedBy: Side
  withdrawn: Set<Side>
}
interface Parked {
  owner: number
  amount: bigint
  open: boolean
}

const FEE_BPS = 2000n
const BPS = 10_000n

/** Each command returns whether the service must do it, and does it here if so. */
export class Model {
  readonly funds: [Funds, Funds]
  readonly escrows: ModelEscrow[] = []
  readonly vouchers: Parked[] = []
  readonly payouts: Parked[] = []

  constructor(start: Funds) {
    this.funds = [{ ...start }, { ...start }]
  }

  #fundsOf(person: number): Funds {
    return this.funds[person === 0 ? 0 : 1]
  }

  /** Test credit pays if it covers all of an amount, else real money; never both. */
  #payer(person: number, amount: bigint): keyof Funds | null {
    const held = this.#fundsOf(person)
    return held.test >= amount ? 'test' : held.real >= amount ? 'real' : null
  }

  transfer(from: number, amount: bigint): boolean {
    const kind = this.#payer(from, amount)
    if (!kind) return false
    this.#fundsOf(from)[kind] -= amount
    this.#fundsOf(other(from))[kind] += amount
    return true
  }

  /** Money in by card: whole cents, at least 0.50. */
  fund(person: number, amount: bigint): boolean {
    this.#fundsOf(person).real += amount
    return true
  }

  createVoucher(owner: number, amount: bigint): boolean {
    return this.#park(this.vouchers, owner, amount)
  }

  requestPayout(owner: number, amount: bigint): boolean {
    return this.#park(this.payouts, owner, amount)
  }

  /** Real money only. */
  #park(list: Parked[], owner: number, amount: bigint): boolean {
    if (this.#fundsOf(owner).real < amount) return false
    this.#fundsOf(owner).real -= amount
    list.push({ owner, amount, open: true })
    return true
  }

  /** A voucher is redeemed or cancelled, a payout canceled. */
  unpark(parked: Parked, to: number): boolean {
    if (!parked.open) return false
    parked.open = false
    this.#fundsOf(to).real += parked.amount
    return true
  }

  hold(buyer: number, amount: bigint): boolean {
    const from = this.#payer(buyer, amount)
    if (!from) return false
    this.#fundsOf(buyer)[from] -= amount
    const state = { status: 'HELD', frozen: false, openedBy: 'buyer' } as const
    this.escrows.push({ buyer, from, held: amount, released: 0n, fees: 0n, ...state, withdrawn: new Set() })
    return true
  }

  release(escrow: ModelEscrow, amount = escrow.held): boolean {
    if (escrow.status !== 'HELD' || escrow.frozen || amount > escrow.held) return false
    this.#pay(escrow, amount, 0n)
    return true
  }

  refund(escrow: ModelEscrow): boolean {
    if (escrow.status !== 'HELD' || escrow.frozen) return false
    this.#pay(escrow, 0n, escrow.held)
    return true
  }

  dispute(escrow: ModelEscrow, by: Side): boolean {
    if (escrow.status !== 'HELD' || escrow.frozen) return false
    Object.assign(escrow, { status: 'DISPUTED', openedBy: by })
    return true
  }

  withdraw(escrow: ModelEscrow, by: Side): boolean {
    const { status, frozen, openedBy, withdrawn } = escrow
    if (status !== 'DISPUTED' || frozen || openedBy !== by || withdrawn.has(by)) return false
    withdrawn.add(by)
    escrow.status = 'HELD'
    return true
  }

  /** An operator; of an escrow that nobody disputes and nobody delivered, only a refund. */
  resolve(escrow: ModelEscrow, sellerBps: bigint): boolean {
    const { status, frozen, held } = escrow
    if (status === 'ENDED' || (status === 'HELD' && !frozen && sellerBps > 0n)) return false
    const toSeller = (held * sellerBps) / BPS
    this.#pay(escrow, toSeller, held - toSeller)
    return true
  }

  freeze(escrow: ModelEscrow, frozen: boolean): boolean {
    if (escrow.status === 'ENDED' || escrow.frozen === frozen) return false
    escrow.frozen = frozen
    return true
  }

  /** The fee is rounded over all that was released, so that the parts sum to the fee of the whole. */
  #pay(escrow: ModelEscrow, toSeller: bigint, toBuyer: bigint): void {
    const fee = ((escrow.released + toSeller) * FEE_BPS) / BPS - escrow.fees
    if (toSeller > 0n) {
      this.#fundsOf(other(escrow.buyer))[escrow.from] += toSeller - fee
      escrow.released += toSeller
      escrow.fees += fee
    }
    this.#fundsOf(escrow.buyer)[escrow.from] += toBuyer
    escrow.held -= toSeller + toBuyer
    if (escrow.held === 0n) Object.assign(escrow, { status: 'ENDED', frozen: false })
  }
}
