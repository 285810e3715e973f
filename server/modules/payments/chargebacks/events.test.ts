import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  availableOf,
  ChargebackTrial,
  eventually,
  openDispute,
  registerHuman,
  startTestService,
  type TestService,
} from '#test'

let service: TestService
let trial: ChargebackTrial
before(async () => {
  service = await startTestService({ ADMIN_TRANSFER_LIMIT_USD: '100' })
  trial = await ChargebackTrial.of(service)
})
after(() => service.close())

describe('events of a dispute', () => {
  test('duplicates, also at once, post one journal each', async () => {
    const { chargebackId, disputeId } = await trial.disputed()
    await Promise.all(
      Array.from({ length: 8 }, () => trial.emit('charge.dispute.created', { id: disputeId }, 4)),
    )
    await trial.lose(disputeId)
    await Promise.all(
      Array.from({ length: 8 }, () => trial.emit('charge.dispute.closed', { id: disputeId }, 4)),
    )
    assert.deepEqual(
      await trial.query(
        "select kind, count(*)::int as n from ledger_journal where reference->>'disputeId' = $1 group by kind order by kind",
        [disputeId],
      ),
      [
        { kind: 'chargeback_lost', n: 1 },
        { kind: 'chargeback_opened', n: 1 },
      ],
    )
    assert.equal((await trial.read(chargebackId)).status, 'LOST')
  })

  test('the last event alone opens and closes a chargeback', async () => {
    for (const won of [true, false]) {
      const { payer, disputeId } = await trial.unnoticed(12)
      assert.equal(await trial.chargebackOf(disputeId), undefined)
      await (won ? trial.win(disputeId) : trial.lose(disputeId))
      const { status, openedJournalId, closedJournalId } = await trial.read(
        (await trial.chargebackOf(disputeId)) ?? '',
      )
      assert.equal(status, won ? 'WON' : 'LOST')
      assert.deepEqual(await trial.legsOf(openedJournalId), ['1040->1010 12', '5010->1010 15'])
      assert.equal((await trial.legsOf(closedJournalId))?.length, 1)
      // What was sent first arrives last.
      await trial.emit('charge.dispute.created', { id: disputeId })
      assert.deepEqual((await trial.outcomesOf(disputeId)).at(-1), 'known')
      assert.equal(await availableOf(service, payer), won ? '12.00' : '0.00')
    }
  })

  test('a lie in an event moves nothing: the processor is asked', async () => {
    const { chargebackId, disputeId } = await trial.disputed()
    await trial.emit('charge.dispute.closed', { id: disputeId, status: 'lost', amount: 1 })
    assert.deepEqual(
      [(await trial.read(chargebackId)).status, (await trial.outcomesOf(disputeId)).at(-1)],
      ['NEEDS_RESPONSE', 'known'],
    )
  })

  test('what an event contains of the customer and the evidence is not stored', async () => {
    const { disputeId } = await trial.disputed()
    const evidence = { customer_name: 'Jane Roe', uncategorized_text: 'Jane Roe got the work' }
    await trial.emit('charge.dispute.updated', { id: disputeId, evidence })
    const bodies = await trial.query<{ data: object }>(
      "select body->'data' as data from payments_event where body #>> '{data,object,id}' = $1",
      [disputeId],
    )
    assert.deepEqual(
      bodies,
      [1, 2].map(() => ({ data: { object: { id: disputeId } } })),
    )
  })

  test('an unknown dispute, one of an unknown payment and one without an id wait for an operator', async () => {
    await trial.emit('charge.dispute.created', { id: 'du_unknown' })
    assert.deepEqual(await trial.outcomesOf('du_unknown'), ['dispute'])
    const { processorId, disputeId } = await trial.disputed()
    await trial.query("update payments_intent set processor_id = 'pi_elsewhere' where processor_id = $1", [
      processorId,
    ])
    await trial.emit('charge.dispute.updated', { id: disputeId })
    assert.equal((await trial.outcomesOf(disputeId)).at(-1), 'dispute')
    await trial.query("update payments_intent set processor_id = $1 where processor_id = 'pi_elsewhere'", [
      processorId,
    ])
    await trial.emit('charge.dispute.created', { no: 'id' })
    const [last] = await trial.query<{ outcome: string }>(
      "select outcome from payments_event where type like 'charge.dispute.%' order by received_at desc limit 1",
    )
    assert.equal(last?.outcome, 'mismatch')
  })

  test('a dispute of another amount, of more than was paid, or decided anew is a mismatch', async () => {
    const { chargebackId, disputeId } = await trial.disputed(40)
    const change = (body: object) => trial.change(disputeId, body)
    const outcome = async () => {
      await trial.emit('charge.dispute.updated', { id: disputeId })
      return (await trial.outcomesOf(disputeId)).at(-1)
    }
    await change({ amount: 3999 })
    assert.equal(await outcome(), 'mismatch')
    await change({ amount: 4000 })
    await trial.win(disputeId)
    await change({ status: 'lost' })
    assert.deepEqual([await outcome(), (await trial.read(chargebackId)).status], ['mismatch', 'WON'])
    const more = await trial.unnoticed(10)
    await trial.change(more.disputeId, { amount: 1001 })
    await trial.emit('charge.dispute.created', { id: more.disputeId })
    assert.deepEqual(
      [await trial.outcomesOf(more.disputeId), await trial.chargebackOf(more.disputeId)],
      [['received', 'mismatch'], undefined],
    )
  })

  test('a part of a payment can be disputed, and the fee may change with the decision', async () => {
    const { payer, disputeId } = await trial.unnoticed(10)
    const change = (body: object) => trial.change(disputeId, body)
    await change({ amount: 250 })
    await trial.emit('charge.dispute.created', { id: disputeId })
    const id = (await trial.chargebackOf(disputeId)) ?? ''
    assert.deepEqual(await trial.legsOf((await trial.read(id)).openedJournalId), [
      '1040->1010 2.5',
      '5010->1010 15',
    ])
    await trial.lose(disputeId)
    assert.equal(await availableOf(service, payer), '7.50')
    const refunded = await trial.disputed(10)
    await trial.change(refunded.disputeId, { balance_transactions: [{ amount: -1000, fee: 0 }] })
    await trial.win(refunded.disputeId)
    const won = await trial.read(refunded.chargebackId)
    assert.deepEqual(
      [won.fee, await trial.legsOf(won.closedJournalId)],
      ['0.00', ['1010->1040 10', '1010->5010 15']],
    )
  })

  test('without an answer of the processor nothing moves, and the event comes again', async () => {
    const { disputeId } = await trial.unnoticed(9)
    assert.deepEqual(
      [await trial.outcomesOf(disputeId), await trial.chargebackOf(disputeId)],
      [['received'], undefined],
    )
    await trial.query('update platform_processor_event set next_attempt_at = now() where body like $1', [
      `%${disputeId}%`,
    ])
    await eventually('the event comes again', async () => (await trial.outcomesOf(disputeId))[0] === 'booked')
    assert.ok(await trial.chargebackOf(disputeId))
  })

  test('a dispute says that its payment was made, although no event did', async () => {
    const payer = await registerHuman(service)
    await trial.breakProcessor('answer_lost', 1, true)
    const pending = await trial.post<{ transaction: { status: string; reference: { paymentId: string } } }>(
      `/wallets/${payer.walletId}/fund`,
      { amount: 7, paymentMethodId: 'pm_card_visa' },
      { token: payer.token },
    )
    assert.equal(pending.body.transaction.status, 'PENDING')
    const [found] = await trial.query<{ id: string }>(
      'select id from platform_processor_object where idempotency_key = $1',
      [pending.body.transaction.reference.paymentId],
    )
    const processorId = found?.id ?? ''
    // As if the answer to the charge had come, and no notification.
    await trial.query('update payments_intent set processor_id = $1 where id = $2', [
      processorId,
      pending.body.transaction.reference.paymentId,
    ])
    const disputeId = await openDispute(service, trial.admin, processorId)
    await trial.lose(disputeId)
    const { status, owed } = await trial.read((await trial.chargebackOf(disputeId)) ?? '')
    assert.deepEqual([status, owed.amount, await availableOf(service, payer)], ['LOST', '0.00', '0.00'])
  })

  test('an open dispute is asked for once a day, in case its events are lost', async () => {
    const { chargebackId, disputeId } = await trial.disputed(8)
    await trial.breakProcessor('not_reached')
    await trial.lose(disputeId)
    await trial.dropEvents(disputeId)
    assert.equal((await trial.read(chargebackId)).status, 'NEEDS_RESPONSE')
    await service.advance(86_400 + 60)
    await eventually('it is asked for', async () => (await trial.read(chargebackId)).status === 'LOST')
  })
})
