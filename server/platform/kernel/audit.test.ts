import assert from 'node:assert/strict'
import { after, beforeEach, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  SYSTEM,
  audit,
  auditTrail,
  eraseAuditDetails,
  sealAudit,
  verifyAuditChain,
  type AuditInfo,
  type AuditFilters,
} from '#platform/kernel/audit'
import { after as later, DAY } from '#platform/kernel/clock'
import { newId } from '#platform/kernel/id'
import { part, sql, type SqlPart } from '#platform/kernel/sql'
import { openTestDb, type TestDb } from '../../../test/support/database/db.ts'

let test: TestDb
beforeEach(async () => {
  await test?.close()
  test = await openTestDb()
})
after(() => test.close())

const page = { limit: 20, offset: 0 }
interface TestEvent extends Omit<AuditInfo, 'target'> {
  action?: string
  actorId?: string
  targetId?: string
  ip?: string
  requestId?: string
}
const write = ({
  action = 'key.revoked',
  actorId = 'u1',
  targetId = 'a1',
  ip,
  requestId,
  ...info
}: TestEvent = {}) =>
  test.db.transaction(tx =>
    audit(tx, { by: ['jwt', actorId], ip, requestId }, action, { ...info, target: ['agent', targetId] }),
  )
const trail = (filters: AuditFilters = {}) => auditTrail(test.db, filters, page)

/** Seals until `wanted` events are in blocks: transactions of other databases of this server hold sealing up. */
async function sealAll(wanted: number): Promise<void> {
  const deadline = Date.now() + 60_000
  let sealed = 0
  for (; sealed < wanted && Date.now() < deadline; await sleep(5))
    sealed += await sealAudit(test.db, test.secrets)
  assert.equal(sealed, wanted)
}

async function tamper(table: SqlPart, change: SqlPart): Promise<void> {
  await test.db.transaction(async tx => {
    await tx.run(sql`alter table ${table} disable trigger user`)
    await tx.run(sql`${change}`)
  })
}

it('keeps who did what to what, from where, and gives it back newest first', async () => {
  const { id } = await write({
    ip: '203.0.113.9',
    requestId: 'r1',
    details: { reason: 'lost', amount: 5n, when: new Date(0), none: undefined },
  })
  await test.db.transaction(tx => audit(tx, { by: ['jwt', null] }, 'user.suspended'))
  const { events, counted } = await trail()
  assert.equal(counted, 2)
  const [second, first] = events
  assert.deepEqual(
    { ...first, at: 0, hash: '' },
    {
      id,
      at: 0,
      action: 'key.revoked',
      actorKind: 'jwt',
      actorId: 'u1',
      target: 'agent',
      targetId: 'a1',
      requestId: 'r1',
      hash: '',
      details: { reason: 'lost', amount: '5', when: '1970-01-01T00:00:00.000Z' },
      ip: '203.0.113.9',
    },
  )
  assert.deepEqual(
    [second?.action, second?.actorId, second?.details, second?.ip],
    ['user.suspended', null, null, null],
  )
})

it('exists exactly if the command commits', async () => {
  await assert.rejects(
    test.db.transaction(async tx => {
      await audit(tx, SYSTEM, 'x')
      throw new Error('the command failed')
    }),
  )
  assert.equal((await trail()).counted, 0)
})

it('filters by action, actor, target and time', async () => {
  await write()
  await write({ action: 'key.rotated', actorId: 'u2', targetId: 'a2' })
  const count = async (filters: AuditFilters) => (await trail(filters)).counted
  assert.equal(await count({ action: 'key.rotated' }), 1)
  assert.equal(await count({ actorId: 'u1' }), 1)
  assert.equal(await count({ targetId: 'a2', actorId: 'u1' }), 0)
  assert.equal(await count({ from: later(new Date(), -DAY), to: later(new Date(), DAY) }), 2)
  assert.equal(await count({ from: later(new Date(), DAY) }), 0)
  assert.equal((await auditTrail(test.db, {}, { limit: 1, offset: 1 })).events[0]?.action, 'key.revoked')
})

it('has real time, independent of the sandbox clock', async () => {
  test.clock.setOffset(30 * DAY)
  await write()
  const at = (await trail()).events[0]?.at.getTime() ?? 0
  assert.ok(Math.abs(at - Date.now()) < DAY)
})

it('is never updated, deleted or truncated', async () => {
  await write({ ip: '::1' })
  await sealAll(1)
  for (const statement of [
    sql`update platform_audit set action = 'x'`,
    sql`delete from platform_audit`,
    sql`truncate platform_audit cascade`,
  ]) {
    await assert.rejects(test.db.run(statement), { constraint: 'platform_audit_append_only' })
  }
  await assert.rejects(test.db.run(sql`update platform_audit_private set ip = null`), {
    constraint: 'platform_audit_private_append_only',
  })
  await assert.rejects(test.db.run(sql`delete from platform_audit_block`), {
    constraint: 'platform_audit_block_append_only',
  })
})

const TAMPERINGS: [string, SqlPart, SqlPart, RegExp][] = [
  [
    'a changed action',
    part`platform_audit`,
    part`update platform_audit set action = 'nothing'`,
    /was changed/,
  ],
  ['a changed actor', part`platform_audit`, part`update platform_audit set actor_id = 'u9'`, /was changed/],
  [
    'changed details',
    part`platform_audit_private`,
    part`update platform_audit_private set details = '{"reason": "found"}'`,
    /its details were changed/,
  ],
  [
    'a changed address',
    part`platform_audit_private`,
    part`update platform_audit_private set ip = '::2'`,
    /its details were changed/,
  ],
  [
    'a changed request id',
    part`platform_audit_private`,
    part`update platform_audit_private set request_id = 'r2'`,
    /its details were changed/,
  ],
  ['a removed block', part`platform_audit_block`, part`delete from platform_audit_block`, /is in no block/],
]
for (const [what, table, change, expected] of TAMPERINGS) {
  it(`${what} is found by verify`, async () => {
    await write({ details: { reason: 'lost \ud800 \0' }, ip: '::1', requestId: 'r1' })
    await sealAll(1)
    assert.deepEqual((await verifyAuditChain(test.db, test.secrets)).findings, [])
    await tamper(table, change)
    assert.match((await verifyAuditChain(test.db, test.secrets)).findings.join('\n'), expected)
  })
}

it('erases the private part of the events of an account, and still verifies', async () => {
  const account = newId()
  await write({ actorId: account, ip: '203.0.113.9', details: { email: 'ada@example.org' } })
  await write({ actorId: 'admin', targetId: account, details: { reason: 'Ada asked' } })
  await write({ details: { reason: 'Ada did not deliver' }, about: [null, 'u2', account] })
  await write({ details: { reason: 'another' }, requestId: 'r2', about: ['u2'] })
  await write({ actorId: account, requestId: 'ada' })
  await sealAll(5)
  assert.equal(await test.db.transaction(tx => eraseAuditDetails(tx, account)), 4)
  const { events } = await trail()
  assert.deepEqual(
    events.map(event => [event.details, event.ip, event.requestId]),
    [
      [null, null, null],
      [{ reason: 'another' }, null, 'r2'],
      [null, null, null],
      [null, null, null],
      [null, null, null],
    ],
  )
  const report = await verifyAuditChain(test.db, test.secrets)
  assert.deepEqual({ findings: report.findings, items: report.items }, { findings: [], items: 5 })
})
