import { test } from 'node:test'
import assert from 'node:assert/strict'
import type { Fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { newId } from '#platform/id'
import { findEdge, strandedStates } from '#platform/machine'
import type { Services } from '#platform/services'
import { sql } from '#platform/sql'
import { openTestDb } from '#test'
import { createAccount } from './account.ts'
import { decideApproval, requestApproval } from './approval.ts'
import { APPROVAL_STATUSES, approvalMachine, type ApprovalActor, type ApprovalEvent } from './approval-machine.ts'

const ACTOR = {
  kind: 'jwt',
  userType: 'HUMAN',
  role: 'ADMIN',
  scopes: null,
  agentId: null,
  organizationId: null,
  keyId: null,
  sessionId: null,
} as const

const EVENTS: readonly ApprovalEvent[] = ['approve', 'reject', 'expire']
const ACTORS: readonly ApprovalActor[] = ['admin', 'timer']

test('an approval moves from PENDING alone: an admin decides it, a timer ends it', () => {
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

test('nobody decides after the seven days, also before the timer came by', async () => {
  const t = await openTestDb()
  try {
    const services = { db: t.db, clock: t.clock } as Services
    const origin = { ip: '127.0.0.1', userAgent: null, requestId: 'test' }
    const admin = async (email: string): Promise<Actor> => {
      const { id } = await t.db.transaction(tx =>
        createAccount(tx, { email, displayName: 'Admin', userType: 'HUMAN', role: 'ADMIN' }),
      )
      const sessionId = newId()
      await t.db.run(sql`insert into identity_session (id, account_id, method, created_at, last_used_at)
        values (${sessionId}, ${id}, 'test', ${t.clock.real()}, ${t.clock.real()})`)
      return { ...ACTOR, accountId: id, sessionId }
    }
    const [asking, deciding] = [await admin('one@example.com'), await admin('two@example.com')]
    t.reactions.on('approval.approved', async (_, { kind }) => (kind === 'test' ? { data: { done: true } } : undefined))
    const ask = () => t.db.transaction(tx => requestApproval(tx, asking, { kind: 'test', payload: {}, about: [] }))
    const decide = (id: string, event: 'approve' | 'reject') =>
      decideApproval(services, deciding, { id, event, origin })
    assert.equal((await decide((await ask()).id, 'approve')).status, 'APPROVED')
    const unknown = await t.db.transaction(tx => requestApproval(tx, asking, { kind: 'unknown', payload: {}, about: [] }))
    await assert.rejects(decide(unknown.id, 'approve'), (error: Fault) => error.row.code === 'APPROVAL_NOT_EXECUTABLE')
    assert.equal((await t.db.one(sql<{ status: string }>`select status from identity_approval where id = ${unknown.id}`)).status, 'PENDING')
    const { id } = await ask()
    await t.db.run(sql`update identity_approval set expires_at = ${t.clock.now()} where id = ${id}`)
    for (const event of ['approve', 'reject'] as const)
      await assert.rejects(decide(id, event), (error: Fault) => error.row.message === 'Approval has expired')
  } finally {
    await t.close()
  }
})

test('an approval ends without anybody', () => {
  assert.deepEqual(strandedStates(approvalMachine), [])
})
