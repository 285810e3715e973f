import { accounts } from '#ledger'
import { Random } from '../../support/random.ts'
import { other, type Model, type ModelEscrow, type Side } from './model.ts'
import { dollars, type Command, type Fixture } from './fixture.ts'

/** One command, with what the model makes of it. */
export interface Step {
  what: string
  command: Command
  /** Whether the service must do it; then the model has done it. */
  apply: () => boolean
  made?: (done: { id: string; code?: string }) => void
}

const CENT = 10_000n
const MICRO_CENTS = 6000

/** The random choices of a seed, and the ids of what its commands made. */
export class Choices extends Random {
  readonly #fixture: Fixture
  readonly #model: Model
  readonly #escrows: string[] = []
  readonly #vouchers: { id: string; code: string }[] = []
  readonly #payouts: string[] = []

  constructor(fixture: Fixture, model: Model, seed: number) {
    super(seed)
    this.#fixture = fixture
    this.#model = model
  }

  /** Cents, single micro-units, or the edge of what a person has. */
  #amount(person: number): bigint {
    const { real, test } = this.#model.funds[person === 0 ? 0 : 1]
    const edge = this.pick([real, test, real + 1n, test + 1n])
    const cents = BigInt(1 + this.below(MICRO_CENTS)) * CENT
    const amount = this.pick([
      cents,
      cents,
      cents + BigInt(this.below(9999)),
      edge,
      BigInt(1 + this.below(50)),
    ])
    return amount > 0n ? amount : 1n
  }

  /** What the escrows, vouchers and payouts of this seed must hold, by ledger account. */
  *parked(): Generator<[account: string, amount: bigint]> {
    const { escrows, vouchers, payouts } = this.#model
    for (const [at, id] of this.#escrows.entries()) yield [accounts.escrow(id), escrows[at]?.held ?? 0n]
    const rest = (parked?: { open: boolean; amount: bigint }) => (parked?.open ? parked.amount : 0n)
    for (const [at, { id }] of this.#vouchers.entries()) yield [accounts.voucher(id), rest(vouchers[at])]
    for (const [at, id] of this.#payouts.entries()) yield [accounts.payout(id), rest(payouts[at])]
  }

  step(): Step {
    const live = this.#escrows.length > 0
    const kinds = ['transfer', 'hold', 'hold', 'voucher', 'payout', 'old voucher', 'old payout']
    const onEscrow = ['release', 'part', 'refund', 'dispute', 'withdraw', 'resolve', 'freeze']
    const kind = this.pick(live ? [...kinds, ...onEscrow, ...onEscrow] : kinds)
    if (onEscrow.includes(kind)) return this.#onEscrow(kind)
    if (kind === 'old voucher' && this.#vouchers.length) return this.#oldVoucher()
    if (kind === 'old payout' && this.#payouts.length) return this.#oldPayout()
    return this.#newMoney(kind)
  }

  #newMoney(kind: string): Step {
    const [fixture, model] = [this.#fixture, this.#model]
    const person = this.below(2)
    const amount = this.#amount(person)
    const what = `${kind} ${person} ${dollars(amount)}`
    if (kind === 'hold')
      return {
        what,
        command: fixture.hold(person, other(person), amount),
        apply: () => model.hold(person, amount),
        made: ({ id }) => void this.#escrows.push(id),
      }
    if (kind === 'voucher')
      return {
        what,
        command: fixture.createVoucher(person, amount),
        apply: () => model.createVoucher(person, amount),
        made: ({ id, code = '' }) => void this.#vouchers.push({ id, code }),
      }
    if (kind !== 'payout')
      return {
        what: `transfer ${person} ${dollars(amount)}`,
        command: fixture.transfer(person, other(person), amount),
        apply: () => model.transfer(person, amount),
      }
    const cents = BigInt(1000 + this.below(9000)) * CENT
    return {
      what: `payout ${person} ${dollars(cents)}`,
      command: fixture.requestPayout(person, cents),
      apply: () => model.requestPayout(person, cents),
      made: ({ id }) => void this.#payouts.push(id),
    }
  }

  #oldVoucher(): Step {
    const at = this.below(this.#vouchers.length)
    const [voucher, made] = [this.#model.vouchers[at], this.#vouchers[at]]
    if (!voucher || !made) throw new Error(`no voucher ${at}`)
    const redeemer = this.below(2)
    const isRedeemed = this.below(2) === 0
    const to = isRedeemed ? redeemer : voucher.owner
    return {
      what: `${isRedeemed ? 'redeem' : 'cancel'} voucher ${at} to ${to}`,
      command: isRedeemed
        ? this.#fixture.redeemVoucher(redeemer, made.code)
        : this.#fixture.cancelVoucher(voucher.owner, made.id),
      apply: () => this.#model.unpark(voucher, to),
    }
  }

  #oldPayout(): Step {
    const at = this.below(this.#payouts.length)
    const [payout, id = ''] = [this.#model.payouts[at], this.#payouts[at]]
    if (!payout) throw new Error(`no payout ${at}`)
    return {
      what: `cancel payout ${at}`,
      command: this.#fixture.cancelPayout(payout.owner, id),
      apply: () => this.#model.unpark(payout, payout.owner),
    }
  }

  #onEscrow(kind: string): Step {
    const disputed = this.#model.escrows.findIndex(({ status }) => status === 'DISPUTED')
    // By chance alone a dispute is hardly ever withdrawn, frozen or unfrozen.
    const isFitting = /^(?:withdraw|freeze)$/.test(kind) && disputed >= 0 && this.below(4) > 0
    const at = isFitting ? disputed : this.below(this.#escrows.length)
    const [escrow, id = ''] = [this.#model.escrows[at], this.#escrows[at]]
    if (!escrow) throw new Error(`no escrow ${at}`)
    return { ...this.#decision(kind, escrow, id), what: `${kind} of escrow ${at}` }
  }

  #decision(kind: string, escrow: ModelEscrow, id: string): Omit<Step, 'what'> {
    const [fixture, model] = [this.#fixture, this.#model]
    const { buyer, openedBy } = escrow
    const seller = other(buyer)
    const chosen: Side = this.pick(['buyer', 'seller'])
    const side = kind === 'withdraw' && openedBy && this.below(4) ? openedBy : chosen
    const person = side === 'buyer' ? buyer : seller
    const part = BigInt(1 + this.below(Number(escrow.held) + 1000))
    const bps = this.pick([0n, 10_000n, BigInt(1 + this.below(9998))])
    switch (kind) {
      case 'release':
        return { command: fixture.release(buyer, id), apply: () => model.release(escrow) }
      case 'part':
        return { command: fixture.release(buyer, id, part), apply: () => model.release(escrow, part) }
      case 'refund':
        return { command: fixture.refund(seller, id), apply: () => model.refund(escrow) }
      case 'dispute':
        return { command: fixture.dispute(person, id), apply: () => model.dispute(escrow, side) }
      case 'withdraw':
        return { command: fixture.withdraw(person, id), apply: () => model.withdraw(escrow, side) }
      case 'resolve':
        return { command: fixture.resolve(id, bps), apply: () => model.resolve(escrow, bps) }
      default:
        return escrow.status === 'ENDED'
          ? { command: fixture.release(buyer, id), apply: () => model.release(escrow) }
          : this.#freeze(escrow, id)
    }
  }

  #freeze(escrow: ModelEscrow, id: string): Omit<Step, 'what'> {
    const frozen = !escrow.frozen
    return {
      command: this.#fixture.freeze(id, frozen),
      apply: () => this.#model.freeze(escrow, frozen),
    }
  }
}
