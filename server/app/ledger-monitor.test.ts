import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { eventually, heldDeal, openMarket, startTestService, suspendMoney, type TestService } from '#test'
import { LedgerMonitor } from './ledger-monitor.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** The figures of `/metrics` about the ledger. */
async function figures(): Promise<Record<string, number>> {
  const { text } = await service.http('GET', '/metrics')
  const lines = text.split('\n').filter(line => /^svc_(ledger|suspense|payments|escrows)/.test(line))
  return Object.fromEntries(lines.map(line => line.split(' ')).map(([name, value]) => [name, Number(value)]))
}
const query = (text: string) => service.services.db.pool.query(text)

test('metrics show the ledger check once it has run, and what requires the operator', async () => {
  assert.deepEqual(await figures(), {}, 'no zeros before the first look')
  await service.monitor.checkBooks()
  const { svc_ledger_check_timestamp_seconds: at, ...good } = await figures()
  assert.ok(at && Math.abs(Date.now() / 1000 - at) < 5)
  assert.deepEqual(good, {
    svc_ledger_check_ok: 1,
    svc_ledger_findings: 0,
    svc_suspense_usd: 0,
    svc_suspense_usdc: 0,
    svc_payments_suspended: 0,
    svc_payments_unanswered: 0,
    svc_payments_unposted: 0,
    svc_escrows_frozen_long: 0,
  })

  const market = await openMarket(service)
  await heldDeal(market)
  await service.http('POST', `/agents/${market.agent.id}/revoke-key`, { token: market.agent.owner.token })
  await suspendMoney(service, market.buyer, 1250)
  await service.http('POST', '/sandbox/processor/events', {
    token: market.admin,
    body: { type: 'charge.dispute.created', data: { object: { id: 'dp_1' } } },
  })
  await service.http('POST', '/sandbox/processor/faults', {
    token: market.admin,
    body: { kind: 'not_reached', count: 1000 },
  })
  await service.http('POST', `/wallets/${market.buyer.walletId}/fund`, {
    token: market.buyer.token,
    body: { amount: 20 },
  })
  await service.advance(8 * 86_400)
  await service.monitor.checkBooks()
  const waiting = await figures()
  assert.deepEqual(
    [
      waiting.svc_suspense_usd,
      waiting.svc_payments_suspended,
      waiting.svc_payments_unposted,
      waiting.svc_escrows_frozen_long,
    ],
    [12.5, 1, 1, 1],
  )
  assert.equal(waiting.svc_payments_unanswered, 2, 'the charge, and the hosted page after its time to pay')
})

test('checks run on one instance at a time, and every instance shows what was found', async () => {
  const other = await service.instance()
  const figureOf = async (name: string) =>
    (await other.http('GET', '/metrics')).text.split('\n').find(line => line.startsWith(`${name} `))
  await service.monitor.runChecks()
  await query('update platform_task set due_at = now()')
  const before = await query("select finished_at from platform_task where name = 'audit verify'")
  await Promise.all([service.monitor.runChecks(), other.monitor.runChecks()])
  await other.monitor.runChecks()
  assert.deepEqual(
    [
      await figureOf('svc_ledger_check_ok'),
      await figureOf('svc_audit_verify_ok'),
      await figureOf('svc_audit_findings'),
    ],
    ['svc_ledger_check_ok 1', 'svc_audit_verify_ok 1', 'svc_audit_findings 0'],
  )
  assert.equal(before.rows.length, 1)
  await other.close()
})

test('the books are checked while the chains are verified, which may take hours', async () => {
  const monitor = new LedgerMonitor(service.services, [], 20)
  const verification = Promise.withResolvers<Record<string, number>>()
  const verify = mock.method(monitor, 'checkEvidence', () => verification.promise)
  await service.monitor.runChecks()
  await query('update platform_task set due_at = now()')
  monitor.start()
  await eventually('the chains are verified', async () => verify.mock.callCount() === 1)
  const { rows } = await query(
    "update platform_task set due_at = now() where name = 'ledger check' returning finished_at",
  )
  await eventually('the books are checked', async () => {
    const text = "select finished_at from platform_task where name = 'ledger check'"
    return Number((await query(text)).rows[0].finished_at) > Number(rows[0].finished_at)
  })
  verification.resolve({})
  await monitor.stop()
})

test('a chain that does not verify is logged and shown', async () => {
  const logged = mock.method(service.services.log, 'error', () => undefined)
  await query("update platform_secret set name = name || ' away' where name = 'chain/ledger'")
  await service.monitor.checkEvidence()
  const { text } = await service.http('GET', '/metrics')
  assert.match(text, /^svc_audit_verify_ok 0$/m)
  assert.ok(logged.mock.calls.some(call => String(call.arguments[1]).includes('FINDINGS in the chains')))
  await query("update platform_secret set name = 'chain/ledger' where name = 'chain/ledger away'")
  await service.monitor.checkEvidence()
  assert.match((await service.http('GET', '/metrics')).text, /^svc_audit_verify_ok 1$/m)
  logged.mock.restore()
})

test('a finding is logged and shown in the metrics until it is resolved', async () => {
  const logged = mock.method(service.services.log, 'error', () => undefined)
  await query("insert into ledger_rollup values ('4010', 'USD', 7)")
  await service.monitor.checkBooks()
  const broken = await figures()
  assert.equal(broken.svc_ledger_check_ok, 0)
  assert.ok((broken.svc_ledger_findings ?? 0) > 0)
  assert.ok(logged.mock.calls.some(call => String(call.arguments[1]).includes('FINDINGS in the ledger')))
  await query("delete from ledger_rollup where account = '4010'")
  await service.monitor.checkBooks()
  const { svc_ledger_check_ok: ok, svc_ledger_findings: findings } = await figures()
  assert.deepEqual([ok, findings], [1, 0])
})
