import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import { ChargebackTrial, startTestService, type TestService } from '#test'

let service: TestService
let trial: ChargebackTrial
before(async () => {
  service = await startTestService({ ADMIN_TRANSFER_LIMIT_USD: '100' })
  trial = await ChargebackTrial.of(service)
})
after(() => service.close())

describe('evidence', () => {
  test('is submitted once; the bank decides', async () => {
    const { chargebackId } = await trial.disputed()
    const submitted = await trial.submit(chargebackId, 'The work was delivered.')
    assert.equal(submitted.status, 200, submitted.text)
    assert.equal(submitted.body.status, 'UNDER_REVIEW')
    assert.ok(submitted.body.evidenceAt)
    const again = await trial.submit(chargebackId, 'And accepted.')
    assert.deepEqual([again.status, again.body.code], [409, 'EVIDENCE_SUBMITTED'])
    for (const [text, status] of [
      ['winning_evidence', 'WON'],
      ['losing_evidence', 'LOST'],
    ] as const) {
      const other = await trial.disputed(5)
      await trial.submit(other.chargebackId, text)
      assert.equal((await trial.read(other.chargebackId)).status, status)
    }
    assert.equal((await trial.submit(newId(), 'none')).status, 404)
    assert.equal(
      (await service.http('GET', `/admin/chargebacks/${newId()}`, { token: trial.admin })).status,
      404,
    )
  })

  test('of many submissions at once the processor gets one', async () => {
    const { chargebackId } = await trial.disputed()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => trial.submit(chargebackId, `text ${n}`)),
    )
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, ...Array.from({ length: 11 }, () => 409)],
    )
  })

  test('without an answer it can be submitted again; one that arrived is known', async () => {
    const { chargebackId, disputeId } = await trial.disputed()
    await trial.breakProcessor('not_reached', 2)
    const lost = await trial.submit(chargebackId, 'The work was delivered.')
    assert.deepEqual([lost.status, lost.body.code], [503, 'PROCESSOR_UNAVAILABLE'])
    const key = { 'idempotency-key': newId() }
    const submitted = await trial.post(
      `/admin/chargebacks/${chargebackId}/evidence`,
      { text: 'It was.' },
      { headers: key },
    )
    const repeated = await trial.post(
      `/admin/chargebacks/${chargebackId}/evidence`,
      { text: 'It was.' },
      { headers: key },
    )
    assert.deepEqual([submitted.status, repeated.status, repeated.body], [200, 200, submitted.body])
    const other = await trial.disputed()
    await trial.breakProcessor('answer_lost')
    assert.equal(
      (await trial.submit(other.chargebackId, 'The work was delivered.')).body.status,
      'UNDER_REVIEW',
    )
    await trial.lose(disputeId)
    assert.equal((await trial.submit(chargebackId, 'late')).status, 409)
    const late = await trial.disputed()
    await trial.query(
      'update platform_processor_object set status = \'lost\', body = body || \'{"status": "lost"}\' where id = $1',
      [late.disputeId],
    )
    const refused = await trial.submit(late.chargebackId, 'late')
    assert.deepEqual(
      [refused.status, refused.body.code, (await trial.read(late.chargebackId)).status],
      [409, 'EVIDENCE_SUBMITTED', 'LOST'],
    )
  })
})

describe('what is owed from a lost chargeback', () => {
  test('is written off once', async () => {
    const { chargebackId, disputeId, payer } = await trial.disputed(50, 50)
    assert.equal((await trial.writeOff(chargebackId)).body.code, 'NOTHING_OWED')
    await trial.lose(disputeId)
    const answers = await Promise.all(Array.from({ length: 8 }, () => trial.writeOff(chargebackId)))
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, ...Array.from({ length: 7 }, () => 409)],
    )
    const done = answers.find(({ status }) => status === 200)
    assert.deepEqual(await trial.legsOf(done?.body.journalId ?? null), [
      `5050->${accounts.receivable(payer.id)} 50`,
    ])
    assert.deepEqual(done?.body.chargeback.owed, {
      amount: '50.00',
      recovered: '0.00',
      writtenOff: '50.00',
      open: '0.00',
    })
    assert.equal((await trial.writeOff(newId())).status, 404)
  })

  test('above the limit waits for another admin', async () => {
    const { chargebackId, disputeId, payer } = await trial.disputed(150, 150)
    await trial.lose(disputeId)
    const asked = await trial.writeOff(chargebackId)
    assert.deepEqual(
      [asked.status, asked.body.journalId, asked.body.approval?.kind, asked.body.chargeback.owed.open],
      [200, null, 'payments.receivable', '150.00'],
    )
    const path = `/admin/approvals/${asked.body.approval?.id}/approve`
    assert.equal((await trial.post(path, {})).status, 403)
    assert.equal((await trial.post(path, {}, { token: trial.second.token })).status, 200)
    assert.deepEqual(
      [
        (await trial.read(chargebackId)).owed.writtenOff,
        await balanceOf(service.services.db, accounts.receivable(payer.id), 'USD'),
      ],
      ['150.00', 0n],
    )
  })
})
