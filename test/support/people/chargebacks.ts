import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, TestService } from '../service/service.ts'
import { registerAdmin, registerHuman, type Person } from './people.ts'
import { closeDispute, disputedFunding, fundingBy, openDispute, processorIdOf } from './processor.ts'

export interface ChargebackView {
  id: string
  status: string
  disputeId: string
  amount: string
  fee: string
  reason: string
  evidenceAt: string | null
  respondBy: string | null
  owed: { amount: string; recovered: string; writtenOff: string; open: string }
  openedJournalId: string
  closedJournalId: string | null
}
export type Refusal = { code: string; message: string; hint?: string }

/** Disputes of card payments on a service of their own, whose processor can be made to fail. */
export class ChargebackTrial {
  readonly service: TestService
  readonly admin: string
  /** Another admin. */
  readonly second: Person

  private constructor(service: TestService, admin: string, second: Person) {
    this.service = service
    this.admin = admin
    this.second = second
  }

  static async of(service: TestService): Promise<ChargebackTrial> {
    const second = await registerAdmin(service)
    return new ChargebackTrial(service, await service.adminToken(), second)
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.service.services.db.pool.query<Row>(text, values)).rows
  }

  /** The legs of a journal, such as `1040->1010 50`. */
  async legsOf(journalId: string | null): Promise<string[] | undefined> {
    const [row] = await this.query<{ legs: [string, string, string, string][] }>(
      'select legs from ledger_journal where id = $1',
      [journalId],
    )
    return row?.legs.map(([debit, credit, , amount]) => `${debit}->${credit} ${Number(amount) / 1e6}`)
  }

  async read(id: string | undefined): Promise<ChargebackView> {
    return (await this.service.http<ChargebackView>('GET', `/admin/chargebacks/${id}`, { token: this.admin }))
      .body
  }

  post<Body = ChargebackView & Refusal>(
    path: string,
    body: object,
    { token = this.admin, headers }: { token?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer<Body>> {
    return this.service.http<Body>('POST', path, { token, body, headers })
  }

  submit(id: string, text: string) {
    return this.post(`/admin/chargebacks/${id}/evidence`, { text })
  }

  writeOff(id: string) {
    return this.post<
      {
        journalId: string | null
        chargeback: ChargebackView
        approval?: { id: string; kind: string }
      } & Refusal
    >(`/admin/chargebacks/${id}/write-off`, { reason: 'nobody responds' })
  }

  pay(from: Person, to: Person, amount: number) {
    const body = { toWalletId: to.walletId, amount }
    return this.post<Refusal>(`/wallets/${from.walletId}/transfer`, body, { token: from.token })
  }

  breakProcessor(kind: string, count = 1, silent = false) {
    return this.post('/sandbox/processor/faults', { kind, count, silent })
  }

  /** Sends an event of the processor. */
  emit(type: string, object: object, copies = 1) {
    return this.post('/sandbox/processor/events', { type, data: { object }, copies })
  }

  /** What became of the events of a dispute, in order. */
  async outcomesOf(disputeId: string): Promise<string[]> {
    const rows = await this.query<{ outcome: string }>(
      "select outcome from payments_event where body #>> '{data,object,id}' = $1 order by received_at",
      [disputeId],
    )
    return rows.map(row => row.outcome)
  }

  async chargebackOf(disputeId: string): Promise<string | undefined> {
    const [row] = await this.query<{ id: string }>(
      'select id from payments_chargeback where dispute_id = $1',
      [disputeId],
    )
    return row?.id
  }

  lose(disputeId: string): Promise<void> {
    return closeDispute(this.service, this.admin, { disputeId, won: false })
  }

  win(disputeId: string): Promise<void> {
    return closeDispute(this.service, this.admin, { disputeId, won: true })
  }

  /** A disputed payment into a wallet, part of which its owner may have paid to a receiver before. */
  async disputed(amount = 50, spend = 0) {
    const [payer, receiver] = [await registerHuman(this.service), await registerHuman(this.service)]
    const before = async () => {
      if (spend) assert.equal((await this.pay(payer, receiver, spend)).status, 201)
    }
    const dispute = await disputedFunding(this.service, { admin: this.admin, payer, amount, before })
    return { payer, receiver, ...dispute }
  }

  /** A disputed payment into a wallet whose first event is lost, as if the processor had never sent it. */
  async unnoticed(amount: number): Promise<{ payer: Person; processorId: string; disputeId: string }> {
    const payer = await registerHuman(this.service)
    const processorId = await processorIdOf(this.service, await fundingBy(this.service, payer, amount))
    await this.breakProcessor('not_reached')
    const disputeId = await openDispute(this.service, this.admin, processorId)
    await this.dropEvents(disputeId)
    return { payer, processorId, disputeId }
  }

  /** The processor does not send the events of a dispute again. */
  async dropEvents(disputeId: string): Promise<void> {
    await this.query('update platform_processor_event set next_attempt_at = null where body like $1', [
      `%${disputeId}%`,
    ])
  }

  /** Changes a dispute at the processor, and notifies of nothing. */
  async change(disputeId: string, body: object): Promise<void> {
    await this.query(
      "update platform_processor_object set body = body || $1::jsonb, status = coalesce($1::jsonb->>'status', status) where id = $2",
      [JSON.stringify(body), disputeId],
    )
  }
}

/** Returns when something has become true, for what happens in the background. */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not in 30 s: ${what}`)
    await sleep(50)
  }
}
