import { test } from 'node:test'
import assert from 'node:assert/strict'
import type { ApiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { findEdge, strandedStates } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'
import { openTestDb, sessionContext } from '#test'
import { createAccount } from '../account/account.ts'
import { decideApproval, requestApproval } from './approval.ts'
import { approvalExecutor } from '../ports.ts'
import {
  APPROVAL_STATUSES,
  approvalMachine,
  type ApprovalActor,
  type ApprovalEvent,
} from './approval-machine.ts'

const EVENTS: readonly ApprovalEvent[] = ['approve', 'reject', 'expire']
const ACTORS: readonly ApprovalActor[] = ['admin', 'timer']

test('an approval leaves PENDING by the decision of an admin or by the timer', () => {
  const moves = APPROVAL_STATUSES.flatMap(from =>
    EVENTS.flatMap(event =>
      ACTORS.flatMap(by => {
        const edge = findEdge(approvalMachine, from, { event, by })
        return edge ? [`${from} ${event} by ${by}: ${edge.to}`] : []
      }),
    ),
  )
  assert.deepEqual(moves, [
    'PENDING approve by admin: APPROVED',
    'PENDING reject by admin: REJECTED',
    'PENDING expire by timer: EXPIRED',
  ])
})

test('rejects a decision after seven days, also before the timer has run', async () => {
  const t = await openTestDb()
  try {
    const services = { db: t.db, clock: t.clock } as Services
    const admin = async (email: string): Promise<RequestContext> => {
      const { id } = await t.db.transaction(tx =>
        createAccount(tx, { email, displayName: 'Admin', userType: 'HUMAN', role: 'ADMIN' }),
      )
      const sessionId = newId()
      await t.db.run(sql`insert into identity_session (id, account_id, method, created_at, last_used_at)
        values (${sessionId}, ${id}, 'test', ${t.clock.real()}, ${t.clock.real()})`)
      return sessionContext({ accountId: id, role: 'ADMIN', sessionId })
    }
    const [asking, deciding] = [await admin('one@example.com'), await admin('two@example.com')]
    t.bindings.add('test', [approvalExecutor.with('wallet.transfer', async () => ({ journalId: 'done' }))])
    const ask = () =>
      t.db.transaction(tx => requestApproval(tx, asking, { kind: 'wallet.transfer', payload: {} }))
    const decide = (id: string, event: 'approve' | 'reject') =>
      decideApproval(services, deciding, { id, event })
    assert.equal((await decide((await ask()).id, 'approve')).status, 'APPROVED')
    const unknown = await ask()
    // As another version of the service stored it.
    await t.db.run(sql`update identity_approval set kind = 'unknown' where id = ${unknown.id}`)
    await assert.rejects(
      decide(unknown.id, 'approve'),
      (error: ApiError) => error.row.code === 'APPROVAL_NOT_EXECUTABLE',
    )
    assert.equal(
      (await t.db.one(sql<{ status: string }>`select status from identity_approval where id = ${unknown.id}`))
        .status,
      'PENDING',
    )
    const { id } = await ask()
    await t.db.run(sql`update identity_approval set expires_at = ${t.clock.now()} where id = ${id}`)
    for (const event of ['approve', 'reject'] as const)
      await assert.rejects(
        decide(id, event),
        (error: ApiError) => error.row.message === 'Approval has expired',
      )
  } finally {
    await t.close()
  }
})

test('timers alone bring every approval to an end', () => {
  assert.deepEqual(strandedStates(approvalMachine), [])
})
