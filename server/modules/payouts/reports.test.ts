import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { PayoutTrial, registerHuman, startTestService, type TestService } from '#test'

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR

suite('what the processor reports of payouts', () => {
  let service: TestService
  let admin: string
  let trial: PayoutTrial
  before(async () => {
    service = await startTestService({ PAYOUT_HOLD_MINUTES: '10' })
    admin = await service.adminToken()
  })
  after(() => service.close())
  beforeEach(async () => {
    trial = new PayoutTrial(service, await registerHuman(service))
  })

  const asAdmin = (path: string, body: object) => service.http('POST', path, { token: admin, body })
  const breakProcessor = (body: object) => asAdmin('/sandbox/processor/faults', body)
  const emit = async (type: string, payoutId: string, copies = 1) => {
    const data = { object: { id: 'po_old', metadata: { payoutId } } }
    assert.equal((await asAdmin('/sandbox/processor/events', { type, copies, data })).status, 201)
  }

  test('arrives although it does not respond, and it pays once', async () => {
    await trial.ready(60)
    const unreached = await trial.requested(10)
    await breakProcessor({ kind: 'not_reached', count: 1 })
    await service.advance(10 * MINUTE + 30)
    assert.deepEqual([await trial.statusOf(unreached), await trial.sentTimes(unreached)], ['PENDING', 0])
    await service.advance(5 * MINUTE)
    await trial.untilSent(unreached)
    const lost = await trial.requested(10)
    await breakProcessor({ kind: 'answer_lost', count: 1, silent: true })
    await trial.send(lost)
    await service.advance(2 * DAY)
    const states = [await trial.statusOf(lost), await trial.statusOf(unreached)]
    assert.deepEqual(
      [...states, await trial.sentTimes(lost), await trial.sentTimes(unreached)],
      ['PAID', 'PAID', 1, 1],
    )
    assert.deepEqual(await trial.wallet(), ['40.00', '0.00', '40.00'])
  })

  test('is read from it: events count in any order and number', async () => {
    await trial.ready(30)
    const id = await trial.requested(10)
    await emit('payout.paid', id, 2)
    assert.equal(await trial.statusOf(id), 'REQUESTED', 'not sent yet')
    await trial.send(id)
    for (const type of ['payout.failed', 'payout.paid', 'payout.canceled', 'transfer.reversed'])
      await emit(type, id, 3)
    assert.deepEqual([await trial.statusOf(id), await trial.inTransit(id)], ['PENDING', 10_000_000n])
    await service.advance(HOUR + DAY + MINUTE)
    assert.equal(await trial.statusOf(id), 'PAID')
    for (const type of ['payout.created', 'payout.updated', 'payout.failed']) await emit(type, id, 3)
    assert.deepEqual([await trial.statusOf(id), await trial.wallet()], ['PAID', ['20.00', '0.00', '20.00']])
    assert.deepEqual(await trial.eventsOf(id), ['send', 'transmit', 'pay'])
    await emit('payout.paid', newId())
  })

  test('may come before its answer', async () => {
    await trial.ready(30)
    const id = await trial.requested(10)
    // The call takes effect and sends its events; the answer never comes.
    await breakProcessor({ kind: 'answer_lost', count: 1 })
    await trial.send(id)
    await service.advance(HOUR + DAY)
    assert.deepEqual([await trial.statusOf(id), await trial.sentTimes(id)], ['PAID', 1])
  })

  test('a refusal fails the payout, and its money is in the wallet again', async () => {
    await trial.ready(30)
    const id = await trial.requested(10)
    const { destination } = await trial.find(id)
    await service.services.db.pool.query(
      `update platform_processor_object set body = body || '{"payouts_enabled": false}' where id = $1`,
      [destination],
    )
    await service.advance(11 * MINUTE)
    for (let tries = 0; (await trial.statusOf(id)) === 'PENDING' && tries < 50; tries++)
      await service.advance(1)
    const failed = await trial.find(id)
    assert.deepEqual([failed.status, await trial.wallet()], ['FAILED', ['30.00', '0.00', '30.00']])
    assert.equal(failed.failureCode, 'REFUSED')
    assert.match(failed.failureReason ?? '', /not enabled/)
    await service.services.db.pool.query(
      "update payouts_payout set failure_code = 'code_of_next_year' where id = $1",
      [id],
    )
    assert.equal((await trial.find(id)).failureCode, 'OTHER')
  })

  test('unknown there after 12 hours, a payout fails', async () => {
    await trial.ready(30)
    const id = await trial.requested(10)
    await breakProcessor({ kind: 'not_reached', count: 1000 })
    await service.advance(13 * HOUR)
    assert.equal(await trial.statusOf(id), 'PENDING')
    await service.services.db.pool.query('update platform_processor_fault set remaining = 0')
    await service.advance(4 * HOUR)
    for (let tries = 0; (await trial.statusOf(id)) === 'PENDING' && tries < 50; tries++)
      await service.advance(1)
    const failed = await trial.find(id)
    assert.deepEqual(
      [failed.status, failed.failureCode, await trial.sentTimes(id), await trial.wallet()],
      ['FAILED', 'NOT_SENT', 0, ['30.00', '0.00', '30.00']],
    )
  })

  test('is not asked for while the account is suspended', async () => {
    await trial.ready(30)
    const id = await trial.requested(10)
    const change = (verb: string) => asAdmin(`/admin/users/${trial.person.id}/${verb}`, { reason: 'test' })
    assert.equal((await change('suspend')).status, 200)
    await service.advance(HOUR)
    assert.equal(await trial.sentTimes(id), 0)
    assert.equal((await change('reinstate')).status, 200)
    await service.advance(HOUR)
    await trial.untilSent(id)
  })
})

// Without payouts that wait: what reads their state would take the outage.
suite('payout setup while the processor does not respond', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.close())

  test('a setup without an answer continues with the same account', async () => {
    const { token, email } = await registerHuman(service)
    const setUp = () => service.http<{ code: string }>('POST', '/payouts/user/setup', { token, body: {} })
    const outage = { token: await service.adminToken(), body: { kind: 'answer_lost', count: 1 } }
    await service.http('POST', '/sandbox/processor/faults', outage)
    const silent = await setUp()
    assert.deepEqual([silent.status, silent.body.code], [503, 'PROCESSOR_SILENT'])
    assert.equal((await setUp()).status, 201)
    const { rows } = await service.services.db.pool.query<{ n: number }>(
      `select count(*)::int as n from platform_processor_object where kind = 'account' and body->>'email' = $1`,
      [email],
    )
    assert.equal(rows[0]?.n, 1)
  })
})
