import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { availableOf, ChargebackTrial, registerHuman, startTestService, type TestService } from '#test'

const MASTER_KEY = 'ab'.repeat(32)

let service: TestService
let trial: ChargebackTrial
before(async () => {
  service = await startTestService({ SVC_MASTER_KEY: MASTER_KEY })
  trial = await ChargebackTrial.of(service)
})
after(() => service.close())

/** Runs the command beside the service, as an operator would. */
const reconcile = (...options: string[]): Promise<{ status: number; out: string; err: string }> =>
  new Promise(resolve => {
    execFile(
      join(import.meta.dirname, 'svc'),
      ['reconcile', ...options],
      {
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: service.databaseUrl,
          SVC_MASTER_KEY: MASTER_KEY,
          SVC_DATA_DIR: service.services.dataDir,
        },
      },
      (error, out, err) => resolve({ status: error ? Number(error.code) : 0, out, err }),
    )
  })

test('svc reconcile books what was lost, and exits with 1 for what needs an operator', async () => {
  const payer = await registerHuman(service)
  await trial.breakProcessor('answer_lost', 1, true)
  const body = { amount: 30, paymentMethodId: 'pm_card_visa' }
  await trial.post(`/wallets/${payer.walletId}/fund`, body, { token: payer.token })
  const good = await reconcile()
  assert.deepEqual([good.status, good.err], [0, ''], good.out)
  assert.match(good.out, /^ {2}card +1 movements compared$/m)
  assert.match(good.out, /^done {4}card MISSING_HERE payment .* It was read again and booked$/m)
  assert.match(good.out, /^Nothing needs an operator/m)
  assert.equal(await availableOf(service, payer), '30.00')
  await trial.query('update payments_sandbox_movement set cents = 2999')
  const bad = await reconcile()
  assert.equal(bad.status, 1)
  assert.match(bad.out, /^FINDING card AMOUNT_DIFFERS payment .*29\.99 USD outside, 30\.00 USD here/m)
  const id = /\/admin\/reconciliation\/([\w-]+)$/m.exec(bad.out)?.[1]
  const read = await service.http<{ trigger: string; open: number }>('GET', `/admin/reconciliation/${id}`, {
    token: trial.admin,
  })
  assert.deepEqual([read.body.trigger, read.body.open], ['COMMAND', 1])
  const before = await reconcile('--from', '2020-01-01', '--to', '2020-01-02T12:00:00Z')
  assert.equal(before.status, 0)
  assert.match(before.out, /^From 2020-01-01T00:00:00\.000Z until 2020-01-02T12:00:00\.000Z$/m)
})

test('svc reconcile refuses an invalid period', async () => {
  const status = async (...options: string[]) => (await reconcile(...options)).status
  assert.equal(await status('--from', 'yesterday'), 64)
  assert.equal(await status('--from'), 64)
  const backwards = await reconcile('--from', '2020-01-02', '--to', '2020-01-01')
  assert.equal(backwards.status, 1)
  assert.match(backwards.err, /from must be before to/)
})
