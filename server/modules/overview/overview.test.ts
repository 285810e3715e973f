import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deliveredDeal, must, openMarket, sharedService, startTestService, type TestService } from '#test'
import { newId } from '#platform/kernel/id'
import { OPEN_WORK } from './ports.ts'

interface Overview {
  days: { day: string; deals: number; volume: string; fees: string; signUps: number }[]
  openWork: Record<string, number>
}
interface Settings {
  items: { name: string; value: string | null; isSecret: boolean; isSet: boolean; isDefault: boolean }[]
}
interface Background {
  timers: { name: string; nextDueAt: string | null; isLate: boolean }[]
  jobs: { name: string; waiting: number; active: number; failed: number }[]
  tasks: { name: string; isRunning: boolean; figures: Record<string, number> }[]
}

let service: TestService
let token: string
before(async () => {
  service = await sharedService()
  token = await service.adminToken()
})
after(() => service.close())

const read = async <Body>(path: string, at = service, by = token): Promise<Body> => {
  const { status, body } = await at.http<Body>('GET', path, { token: by })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('the overview counts deals, volume, fees and sign-ups of a day and the open work', async () => {
  const own = await startTestService()
  try {
    const admin = await own.adminToken()
    const market = await openMarket(own, { card: true, amount: 1000 })
    const { escrowId } = await deliveredDeal(market)
    await must(market, 'buyer', '/payments/ap2/release', { escrowId })
    const disputed = await deliveredDeal(market)
    await must(market, 'buyer', `/payments/escrow/${disputed.escrowId}/dispute`, {
      reason: 'Not what was agreed',
    })
    const { days, openWork } = await read<Overview>('/admin/overview?days=7', own, admin)
    assert.equal(days.length, 7)
    const today = days.at(-1)
    assert.equal(today?.day, own.services.clock.now().toISOString().slice(0, 10))
    assert.deepEqual([today.deals, today.volume, today.fees], [2, '200.00', '20.00'])
    const { rows } = await own.services.db.pool.query<{ count: number }>(
      'select count(*)::int as count from identity_account',
    )
    assert.equal(today.signUps, rows[0]?.count)
    assert.deepEqual(days[0], { day: days[0]?.day, deals: 0, volume: '0.00', fees: '0.00', signUps: 0 })
    assert.deepEqual(Object.keys(openWork).sort(), [...OPEN_WORK].sort())
    assert.equal(openWork.disputes, 1)
    assert.equal((await read<Overview>('/admin/overview', own, admin)).days.length, 30)
  } finally {
    await own.close()
  }
})

test('refuses more than 90 days with 400', async () => {
  assert.equal((await service.http('GET', '/admin/overview?days=91', { token })).status, 400)
})

test('the settings show values and the default, and nothing of a secret but whether it is set', async () => {
  const { items } = await read<Settings>('/admin/settings')
  const setting = (name: string) => items.find(item => item.name === name)
  assert.equal(setting('SVC_MODE')?.value, 'sandbox')
  assert.equal(setting('SVC_MODE')?.isDefault, true)
  assert.deepEqual(
    [setting('ADMIN_PASSWORD')?.value, setting('ADMIN_PASSWORD')?.isSecret, setting('ADMIN_PASSWORD')?.isSet],
    [null, true, true],
  )
  assert.ok(items.every(({ isSecret, value }) => !isSecret || value === null))
  assert.ok(!JSON.stringify(items).includes(service.services.config.ADMIN_PASSWORD ?? 'no password'))
})

test('the background work shows timers with their next deadline, jobs and tasks', async () => {
  const { rows } = await service.services.db.pool.query<{ name: string }>(
    `insert into platform_task (name, due_at, finished_at, result)
     values ($1, now() + interval '1 minute', now(), '{"svc_findings": 2, "text": "none"}') returning name`,
    [`task ${newId()}`],
  )
  const job = 'identity.mail'
  const { timers, jobs, tasks } = await read<Background>('/admin/background')
  assert.ok(timers.some(({ name }) => name === 'approval expiry'))
  assert.ok(timers.every(({ nextDueAt, isLate }) => nextDueAt !== null || !isLate))
  assert.ok(jobs.every(({ waiting, active, failed }) => waiting + active + failed >= 0))
  assert.ok(jobs.length > 3, job)
  const task = tasks.find(({ name }) => name === rows[0]?.name)
  assert.deepEqual([task?.isRunning, task?.figures], [false, { svc_findings: 2 }])
})
