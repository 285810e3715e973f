import {
  insertHistory,
  planTransition,
  type HistoryLine,
  type Machine,
  type Transition,
} from '#platform/kernel/machine'
import * as budgets from '#budgets'
import { insertSpend, updateReturned } from '#spending'
import { after } from '#platform/kernel/clock'
import { newId } from '#platform/kernel/id'
import { insertIntoOutbox } from '#platform/kernel/background/outbox'
import type { SqlPart, Writes } from '#platform/kernel/sql'
import type { Deal, FundedDeal } from './deal.ts'
import { deliveryMachine, type DeliveryEvent, type DeliveryTrigger } from './delivery-machine.ts'
import { escrowMachine, type EscrowEvent, type EscrowTrigger } from './escrow-machine.ts'
import { negotiationMachine, type NegotiationEvent, type NegotiationTrigger } from './negotiation-machine.ts'
import { DEAL_TOPIC, noticeOf } from './notice.ts'
import type { DealLine } from './parts.ts'
import type { DeliveryRow, DisputeRow, EscrowRow, MilestoneRow, NegotiationRow, RoundRow } from './rows.ts'
import { insertRow, updateRow } from './sql.ts'

type Subject = DealLine['subject']
const SUBJECTS: readonly Subject[] = ['negotiation', 'escrow', 'delivery']

/** One row that is inserted or updated. */
export interface RowChange {
  table: string
  id: string
  isNew: boolean
  fields: Record<string, unknown>
}

/** What a command changes in a deal, decided before anything is written. */
export interface DealPlan {
  /** The deal as it is afterwards. */
  readonly deal: Deal
  readonly rows: readonly RowChange[]
  readonly lines: readonly DealLine[]
}

/** The statements of a plan, with a notice of it for the modules above. */
export const changesOf = ({ deal, rows, lines }: DealPlan): Writes => ({
  updates: rows.filter(row => !row.isNew).map(({ table, id, fields }) => updateRow(table, id, fields)),
  inserts: [
    ...rows.filter(row => row.isNew).map(({ table, fields }) => insertRow(table, fields)),
    ...SUBJECTS.map(subject => lines.filter(line => line.subject === subject))
      .filter(each => each.length)
      .map(each => insertHistory(`ap2_${each[0]?.subject}`, each)),
    ...spendingOf(deal, rows),
    // The parties of a run follow the run: its deal needs nothing from them.
    ...(lines.length && !deal.negotiation.isRun ? [insertIntoOutbox(DEAL_TOPIC, noticeOf(deal, lines))] : []),
  ],
})

/** What a plan changes in budgets: an escrow is a spend of the buying agent, and what it refunds comes back to all that paid. */
function spendingOf({ negotiation, escrow }: Deal, rows: readonly RowChange[]): SqlPart[] {
  const agentId = negotiation.buyerAgentId
  const change = rows.find(({ table }) => table === 'ap2_escrow')
  if (!escrow || !change) return []
  const { id: reference, amount, refunded, createdAt: at } = escrow
  if (change.isNew) return agentId ? [insertSpend({ reference, agentId, amount, at })] : []
  const isCancelled = escrow.status === 'CANCELLED'
  if (!isCancelled && !('refunded' in change.fields)) return []
  const returned = isCancelled ? amount : refunded
  return [
    budgets.updateReturned(reference, returned),
    ...(agentId ? [updateReturned(reference, returned)] : []),
  ]
}

/** Collects the changes of one command. Each row is written once, whatever happens to it. Pure: no database, no clock. */
export class DealDraft implements DealPlan {
  readonly now: Date
  readonly rows: RowChange[] = []
  readonly lines: DealLine[] = []
  #deal: Deal

  constructor(deal: Deal, now: Date) {
    this.#deal = deal
    this.now = now
  }

  get deal(): Deal {
    return this.#deal
  }

  get fundedDeal(): FundedDeal {
    return { ...this.#deal, escrow: this.#escrow() }
  }

  openNegotiation(row: NegotiationRow): void {
    this.#insert('ap2_negotiation', row)
  }

  moveNegotiation(move: Transition<NegotiationEvent, NegotiationTrigger>): void {
    const negotiation = this.#move('negotiation', negotiationMachine, this.#deal.negotiation, move)
    this.#deal = { ...this.#deal, negotiation }
  }

  setNegotiation(fields: Partial<NegotiationRow>): void {
    this.#update('ap2_negotiation', this.#deal.negotiation.id, fields)
    this.#deal = { ...this.#deal, negotiation: { ...this.#deal.negotiation, ...fields } }
  }

  addRound(row: RoundRow & { actorId: string }): void {
    this.#insert('ap2_round', { ...row, id: newId() })
    this.#deal = { ...this.#deal, rounds: [...this.#deal.rounds, row] }
  }

  openEscrow(escrow: EscrowRow, milestones: readonly MilestoneRow[]): void {
    this.#insert('ap2_escrow', escrow)
    for (const milestone of milestones) this.#insert('ap2_milestone', milestone)
    this.#deal = { ...this.#deal, escrow, milestones }
  }

  moveEscrow(move: Transition<EscrowEvent, EscrowTrigger>): EscrowRow {
    const escrow = this.#move('escrow', escrowMachine, this.#escrow(), move)
    this.#deal = { ...this.#deal, escrow }
    return escrow
  }

  setEscrow(fields: Partial<EscrowRow>): void {
    const escrow = this.#escrow()
    this.#update('ap2_escrow', escrow.id, fields)
    this.#deal = { ...this.#deal, escrow: { ...escrow, ...fields } }
  }

  setMilestone(id: string, fields: Partial<MilestoneRow>): void {
    this.#update('ap2_milestone', id, fields)
    this.#deal = { ...this.#deal, milestones: replaced(this.#deal.milestones, id, fields) }
  }

  addDelivery(row: DeliveryRow): void {
    this.#insert('ap2_delivery', row)
    this.#deal = { ...this.#deal, deliveries: [...this.#deal.deliveries, { ...row, hasScreenshot: false }] }
  }

  moveDelivery<Row extends Pick<DeliveryRow, 'id' | 'status'>>(
    row: Row,
    move: Transition<DeliveryEvent, DeliveryTrigger>,
  ): Row {
    const moved = this.#move('delivery', deliveryMachine, row, move)
    this.#deal = { ...this.#deal, deliveries: replaced(this.#deal.deliveries, row.id, moved) }
    return moved
  }

  addDispute(row: DisputeRow): void {
    this.#insert('ap2_dispute', row)
    this.#deal = { ...this.#deal, disputes: [...this.#deal.disputes, row] }
  }

  setDispute(id: string, fields: Partial<DisputeRow>): void {
    this.#update('ap2_dispute', id, fields)
    this.#deal = { ...this.#deal, disputes: replaced(this.#deal.disputes, id, fields) }
  }

  /** The first line of the history of a row that is new. */
  noteStart(subject: Subject, line: Omit<HistoryLine, 'id' | 'fromStatus' | 'at'>): void {
    this.#note({ ...line, subject, id: newId(), fromStatus: '', at: this.now })
  }

  #escrow(): EscrowRow {
    const { escrow } = this.#deal
    if (!escrow) throw new Error('the deal has no escrow')
    return escrow
  }

  #move<Row extends { id: string; status: S }, S extends string, E extends string, A extends string>(
    subject: Subject,
    machine: Machine<S, E, A>,
    row: Row,
    move: Transition<E, A>,
  ): Row {
    const planned = planTransition(machine, row, move, this.now)
    this.#update(machine.table, row.id, planned.set)
    this.#note({ ...planned.line, subject })
    return planned.row
  }

  #note(line: DealLine): void {
    this.lines.push(line)
    this.#deal = { ...this.#deal, history: [...this.#deal.history, line] }
  }

  #insert(table: string, row: { id: string }): void {
    this.rows.push({ table, id: row.id, isNew: true, fields: { ...row } })
  }

  #update(table: string, id: string, fields: Record<string, unknown>): void {
    const known = this.rows.find(each => each.table === table && each.id === id)
    if (known) Object.assign(known.fields, fields)
    else this.rows.push({ table, id, isNew: false, fields: { ...fields } })
  }
}

const replaced = <Row extends { id: string }>(rows: readonly Row[], id: string, fields: object): Row[] =>
  rows.map(row => (row.id === id ? { ...row, ...fields } : row))

/** Moves the release timers of an escrow by the time for which they stopped. */
export function postponeReleases(draft: DealDraft, milestones: readonly MilestoneRow[], ms: number): void {
  for (const { id, autoReleaseAt } of milestones)
    if (autoReleaseAt) draft.setMilestone(id, { autoReleaseAt: after(autoReleaseAt, ms) })
}
