import assert from 'node:assert/strict'
import type { Reservation, UsageRecord } from '../core/funds.ts'
import type { Entry } from './flush.ts'
import { chargeOf } from './plan.ts'

/** A part of a lease, and of the budgets that the request counts in. */
export class LeaseReservation implements Reservation {
  readonly amount: bigint
  readonly #paidBy: NonNullable<Entry['paidBy']>
  readonly #add: (entry: Entry) => void
  #isOpen = true

  constructor(amount: bigint, paidBy: NonNullable<Entry['paidBy']>, add: (entry: Entry) => void) {
    this.amount = amount
    this.#paidBy = paidBy
    this.#add = add
  }

  settle(record: UsageRecord): void {
    const charge = chargeOf(this.amount, record)
    this.#end(charge.cost + charge.fee)
    this.#add({ record, charge, paidBy: this.#paidBy })
  }

  release(): void {
    this.#end(0n)
  }

  #end(spent: bigint): void {
    assert(this.#isOpen, 'a reservation ends once')
    this.#isOpen = false
    const now = performance.now()
    for (const block of this.#paidBy.blocks) block.capture(this.amount, spent, now)
  }
}
