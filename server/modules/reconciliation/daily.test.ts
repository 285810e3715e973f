import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ChargebackTrial, mailTo, startTestService, type TestService } from '#test'
import { reconcileIfDue } from './daily.ts'

let service: TestService
let trial: ChargebackTrial
before(async () => {
  service = await startTestService()
  trial = await ChargebackTrial.of(service)
})
after(() => service.close())

const makeDue = () =>
  trial.query("update platform_task set due_at = now() - interval '1 second' where name = 'reconciliation'")
const daily = async () =>
  trial.query<{ from: Date; to: Date; open: number }>(
    'select from_at as "from", to_at as "to", open from reconciliation_run where trigger = \'DAILY\' order by finished_at',
  )

test('compares once a day what happened since the last daily run, and mails the operator', async () => {
  await trial.disputed(10)
  await trial.query("update payments_sandbox_movement set cents = 999 where kind = 'charge'")
  await service.advance(7200)
  await reconcileIfDue(service.services)
  assert.deepEqual(await daily(), [], 'the first day has just begun')
  await makeDue()
  await Promise.all(Array.from({ length: 4 }, () => reconcileIfDue(service.services)))
  const [first, ...others] = await daily()
  assert.deepEqual([first?.open, others], [2, []])
  await mailTo(service, 'admin@example.com', /AMOUNT_DIFFERS payment/)
  await service.advance(86_400)
  await makeDue()
  await reconcileIfDue(service.services)
  const [, second] = await daily()
  assert.deepEqual([second?.from, second?.open], [first?.to, 0])
})
