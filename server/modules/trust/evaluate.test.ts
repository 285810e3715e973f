import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import { holdingLocks, publishAgent, registerHuman, sharedService, type TestService } from '#test'
import { planOf } from '../../../test/support/database/plan.ts'
import { evaluateAgent } from './evaluate.ts'
import { excludedOutcomes } from './sql.ts'
import { lockEvidence, planOutcome, reevaluateCertifiedAgent, writeOutcome } from './trust.ts'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

test('an evaluation that is requested while the score is computed comes after it', async () => {
  const agent = await publishAgent(service, await registerHuman(service))
  const deal = {
    agentId: agent.id,
    dealId: newId(),
    counterpartyAccountId: (await registerHuman(service)).id,
    selfDeal: false,
    test: false,
    amount: 99_000_000n,
  }
  const { db, clock } = service.services
  await holdingLocks(service, async ({ query, waiters, rollback }) => {
    // The evaluation waits for its entry of the history.
    await query('lock table trust_history in share mode')
    await db.transaction(async tx => {
      const evidence = await lockEvidence(tx, agent.id, deal.dealId)
      const change = evidence && planOutcome(evidence, deal, 'COMPLETED', tx.now)
      assert.ok(change)
      writeOutcome(tx, change)
    })
    const evaluating = db.transaction(tx => evaluateAgent(tx, agent.id))
    await waiters(1)
    const requested = db.transaction(tx => reevaluateCertifiedAgent(tx, agent.id))
    await Promise.race([requested, sleep(500)])
    await rollback()
    await Promise.all([evaluating, requested])
  })
  const { evaluateAt } = await db.one(
    sql<{ evaluateAt: Date }>`select evaluate_at from trust_standing where id = ${agent.id}`,
  )
  assert.ok(evaluateAt <= new Date(clock.now().getTime() + 6000), evaluateAt.toISOString())
})

test('what does not count in the score is among the newest deals, which are read by indexes', async () => {
  const plan = await planOf(service, excludedOutcomes(newId(), 20), ['enable_seqscan', 'enable_sort'])
  for (const index of ['trust_outcome_self_deals', 'trust_outcome_evidence'])
    assert.match(plan, new RegExp(`Index Scan using ${index}`))
})
