import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  ChargebackTrial,
  eventually,
  notifyOf,
  PayoutTrial,
  processorEvent,
  registerHuman,
  startTestService,
  type TestService,
} from '#test'

const DAY = 24 * 3600

interface Report {
  compared: Record<string, number>
  differences: {
    kind: string
    subject: string
    externalId: string | null
    ourId: string | null
    note: string
    open: boolean
  }[]
}

suite('the reconciliation of payouts to banks', () => {
  let service: TestService
  let processor: ChargebackTrial
  let trial: PayoutTrial
  before(async () => {
    service = await startTestService({ PAYOUT_HOLD_MINUTES: '10' })
    processor = await ChargebackTrial.of(service)
    trial = new PayoutTrial(service, await registerHuman(service))
    await trial.ready(200)
  })
  after(() => service.close())

  /** Of the last days, until now. */
  async function run(): Promise<Report> {
    const from = new Date(service.services.clock.now().getTime() - 20 * DAY * 1000).toISOString()
    const { status, text, body } = await processor.post<Report>('/admin/reconciliation', { from })
    assert.equal(status, 201, text)
    return body
  }
  const about = ({ differences }: Report, id: string) =>
    differences
      .filter(({ externalId, ourId, note }) => externalId === id || ourId === id || note.includes(id))
      .map(({ kind, subject, open }) => `${kind} ${subject}${open ? '' : ' (done)'}`)
      .sort()
  async function idsAtProcessor(id: string): Promise<{ transfer: string; payout: string }> {
    const [row] = await processor.query<{ transfer: string; payout: string }>(
      "select body->>'transfer' as transfer, id as payout from platform_processor_object where kind = 'payout' and idempotency_key = $1",
      [id],
    )
    assert.ok(row)
    return row
  }
  async function paid(amount = 10): Promise<{ id: string; transfer: string; payout: string }> {
    const id = await trial.requested(amount)
    await trial.send(id)
    await service.advance(2 * DAY)
    await eventually('the payout is paid', async () => (await trial.statusOf(id)) === 'PAID')
    const ids = await idsAtProcessor(id)
    await eventually('its events are received', async () => {
      const rows = await processor.query<{ type: string }>(
        "select type from payments_event where body #>> '{data,object,id}' = any($1) and type in ('payout.paid', 'transfer.created')",
        [[ids.transfer, ids.payout]],
      )
      return rows.length === 2
    })
    return { id, ...ids }
  }

  test('names what only one side has, and what both have and differs', async () => {
    const [same, away, altered, back] = [await paid(), await paid(), await paid(), await paid()]
    await processor.query('delete from payments_sandbox_movement where source_id = $1', [away.transfer])
    await processor.query('update payments_sandbox_movement set cents = -999 where source_id = $1', [
      altered.transfer,
    ])
    const copy = (id: string, source: string, ourId: string | null) =>
      processor.query(
        `insert into payments_sandbox_movement
         select $2, kind, $3, $4, cents, 0, currency, at from payments_sandbox_movement where source_id = $1`,
        [same.transfer, id, source, ourId],
      )
    await copy('txn_hand', 'tr_by_hand', null)
    // The bank has returned it, and nothing was reported.
    await processor.query(
      `insert into payments_sandbox_movement
       select 'txn_back', 'transfer_reversal', source_id, our_id, -cents, 0, currency, at from payments_sandbox_movement where source_id = $1`,
      [back.transfer],
    )
    await processor.change(back.payout, {
      status: 'failed',
      failure_code: 'account_closed',
      isReversed: true,
    })
    const report = await run()
    assert.ok((report.compared.bank ?? 0) >= 4)
    assert.deepEqual(about(report, same.id), [])
    assert.deepEqual(about(report, away.id), ['MISSING_AT_PROCESSOR payout'])
    assert.ok(about(report, altered.id).includes('AMOUNT_DIFFERS payout'))
    assert.deepEqual(about(report, 'tr_by_hand'), ['EVENT_LOST transfer (done)', 'MISSING_HERE transfer'])
    assert.deepEqual(about(report, back.id), ['STATE_DIFFERS payout (done)'])
    assert.equal(await trial.statusOf(back.id), 'RETURNED')
    await copy('txn_twice', same.transfer, same.id)
    const again = await run()
    assert.deepEqual(about(again, back.id), [])
    assert.deepEqual(about(again, same.id), ['DUPLICATE payout'])
  })

  test('names a lost, a duplicated, a reordered and an altered event', async () => {
    const [lost, changed] = [await paid(), await paid()]
    await processor.query("delete from payments_event where body #>> '{data,object,id}' = any($1)", [
      [lost.transfer, lost.payout],
    ])
    const send = async (type: string, amount: number, created: number, copies = 1) => {
      const object = { id: changed.payout, amount, metadata: { payoutId: changed.id } }
      const event = { ...processorEvent(type, object), created }
      for (let copy = 0; copy < copies; copy++) await notifyOf(service, event)
      return event.id
    }
    const twice = await send('payout.updated', 1000, 4_000_000_000, 2)
    const late = await send('payout.created', 1000, 1_000_000_000)
    const altered = await send('payout.paid', 9900, 4_000_000_001)
    const report = await run()
    assert.deepEqual(about(report, lost.id), ['EVENT_LOST payout (done)', 'EVENT_LOST transfer (done)'])
    assert.deepEqual(about(report, twice), ['EVENT_DUPLICATED payout.updated (done)'])
    assert.deepEqual(about(report, late), ['EVENT_REORDERED payout.created (done)'])
    assert.deepEqual(about(report, altered), ['EVENT_ALTERED payout.paid'])
  })
})
