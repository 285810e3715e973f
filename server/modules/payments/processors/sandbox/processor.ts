import type { Tx } from '#platform/kernel/db'
import type { Timer } from '#platform/kernel/background/timers'
import { part } from '#platform/kernel/sql'
import type { Dispute } from '../dispute-port.ts'
import type {
  Charge,
  ChargeOrder,
  Checkout,
  CheckoutOrder,
  Outcome,
  Processor,
  Refund,
  RefundOrder,
} from '../port.ts'
import type { Movement } from '../statement-port.ts'
import {
  completeOnboarding,
  readOnboarding,
  sandboxAccounts,
  verifyIdentity,
  type Details,
  type OnboardingView,
} from './accounts.ts'
import { expireCheckout, openCheckout, payCheckout, readCheckout, type CheckoutView } from './checkouts.ts'
import { closeDispute, disputeOf, loseDispute, openDispute, sandboxDisputes } from './disputes.ts'
import type { Notice, Notifier } from './notifier.ts'
import type { TaskKind } from './objects.ts'
import { charge, lockPayment, outcomeOf } from './payments.ts'
import { arrive, fail, leave, sandboxPayouts } from './payouts.ts'
import { endRefund, refund, refundOf } from './refunds.ts'
import { movementsAfter, takeTask } from './sql.ts'
import { Wire, type OutageOrder, type SandboxContext } from './wire.ts'

const TASKS: Record<TaskKind, (wire: Wire, tx: Tx, objectId: string) => Promise<void>> = {
  'refund ends': endRefund,
  'identity is checked': verifyIdentity,
  'payout leaves': leave,
  'payout arrives': arrive,
  'payout returns': fail,
  'dispute ends': loseDispute,
}

/** How many movements are read at once. */
const PAGE = 500

/** A card processor without the outside world: same answers, same signed notifications, test cards and banks only. */
export class SandboxProcessor implements Processor {
  readonly notifier: Notifier
  readonly accounts
  readonly payouts
  readonly disputes
  readonly #wire: Wire

  constructor(context: SandboxContext) {
    this.#wire = new Wire(context)
    this.notifier = this.#wire.notifier
    this.accounts = sandboxAccounts(this.#wire)
    this.payouts = sandboxPayouts(this.#wire)
    this.disputes = sandboxDisputes(this.#wire)
  }

  charge(order: ChargeOrder): Promise<Charge> {
    return charge(this.#wire, order)
  }

  openCheckout(order: CheckoutOrder): Promise<Checkout> {
    return openCheckout(this.#wire, order)
  }

  outcomeOf(id: string, processorId?: string): Promise<Outcome> {
    return this.#wire.call(() => outcomeOf(this.#wire, id, processorId))
  }

  expireCheckout(checkoutId: string): Promise<string | null> {
    return expireCheckout(this.#wire, checkoutId)
  }

  refund(order: RefundOrder): Promise<Refund> {
    return refund(this.#wire, order)
  }

  refundOf(id: string): Promise<Refund | null> {
    return this.#wire.call(() => refundOf(this.#wire, id))
  }

  async *movements(from: Date, to: Date): AsyncGenerator<Movement> {
    for (let last: Movement | undefined; ;) {
      const behind = last
      const page = await this.#wire.call(() =>
        this.#wire.context.db.rows(movementsAfter([from, to], behind, PAGE)),
      )
      yield* page
      last = page.at(-1)
      if (page.length < PAGE) return
    }
  }

  /** What happens at the processor by itself. */
  timers(): Timer[] {
    return [
      {
        name: 'sandbox processor',
        table: 'payments_sandbox_task',
        column: 'due_at',
        where: part`true`,
        run: async (tx, id) => {
          const task = await tx.maybe(takeTask(id))
          if (task) await TASKS[task.kind](this.#wire, tx, task.objectId)
        },
      },
    ]
  }

  /** Lets the next calls go wrong, for every instance and over a restart. */
  break(outage: OutageOrder): Promise<void> {
    return this.#wire.break(outage)
  }

  /** The hosted page's data. ApiError 404. */
  checkout(checkoutId: string): Promise<CheckoutView> {
    return readCheckout(this.#wire, checkoutId)
  }

  /** Pays a hosted page with a payment method or card number; returns when its notifications were sent once. */
  payCheckout(checkoutId: string, method: string): Promise<void> {
    return payCheckout(this.#wire, checkoutId, method)
  }

  /** The data of the hosted onboarding page. ApiError 404. */
  onboarding(linkId: string): Promise<OnboardingView> {
    return readOnboarding(this.#wire, linkId)
  }

  completeOnboarding(linkId: string, details: Details) {
    return completeOnboarding(this.#wire, linkId, details)
  }

  /** The holder of the card of a payment disputes it; returns when the notification was sent once. */
  async openDispute(processorId: string, reason?: string): Promise<Dispute> {
    return disputeOf(
      await this.#wire.changeAndSend(async (tx, emit) =>
        openDispute(this.#wire, tx, {
          payment: await lockPayment(this.#wire, tx, processorId),
          emit,
          reason,
        }),
      ),
    )
  }

  /** The bank decides a dispute. */
  async closeDispute(disputeId: string, state: 'won' | 'lost'): Promise<Dispute> {
    return disputeOf(
      await this.#wire.changeAndSend((tx, emit) => closeDispute(this.#wire, tx, { disputeId, state, emit })),
    )
  }

  /** Any event that a test asks for; without a delay it returns when it was sent once. */
  async emit(notice: Notice): Promise<{ id: string; delivered: boolean }> {
    const event = await this.#wire.context.db.transaction(tx => this.notifier.write(tx, notice))
    return { id: event.id, delivered: notice.delayMs ? false : await this.notifier.send(event) }
  }
}
