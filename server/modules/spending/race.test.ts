import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { publishAgent, registerHuman, sharedService, type ListedAgent, type TestService } from '#test'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { MICRO } from '#platform/kernel/money'
import { checkSpending } from './plan.ts'
import { readUsage, recordSpending, requireSpending } from './spending.ts'
import { limitsOf, saveLimits } from './sql.ts'

const CALLERS = 32
const AMOUNT = 10n * MICRO
const FITTING = 5

let service: TestService
let agent: ListedAgent
before(async () => {
  service = await sharedService()
  agent = await publishAgent(service, await registerHuman(service))
})
after(() => service.close())

/** How many of 32 concurrent spends pass `check` against a budget of five of them. */
async function race(check: (tx: Tx, agentId: string) => Promise<unknown>): Promise<number> {
  const { db } = service.services
  const { id } = await publishAgent(service, agent.owner)
  await db.run(saveLimits(id, { monthlyLimit: AMOUNT * BigInt(FITTING) }))
  const ends = await Promise.allSettled(
    Array.from({ length: CALLERS }, () =>
      db.transaction(async tx => {
        await check(tx, id)
        recordSpending(tx, { reference: newId(), agentId: id, amount: AMOUNT, at: tx.now })
      }),
    ),
  )
  return ends.filter(({ status }) => status === 'fulfilled').length
}

test('concurrent spends never exceed the limit', async () => {
  const check = (tx: Tx, agentId: string) =>
    requireSpending(tx, { agentId, amount: AMOUNT, action: 'execute' })
  assert.equal(await race(check), FITTING)
})

test('a check without the lock lets concurrent spends exceed the limit', async () => {
  let readers = 0
  const { promise: allHaveRead, resolve } = Promise.withResolvers<void>()
  const naive = async (tx: Tx, agentId: string) => {
    const limits = await tx.one(limitsOf(agentId))
    const request = {
      action: 'execute',
      amount: AMOUNT,
      counterparty: { agentId: null, accountId: null },
    } as const
    checkSpending(limits, request, await readUsage(tx, limits, tx.now))
    if (++readers > FITTING) resolve()
    await allHaveRead
  }
  assert.ok((await race(naive)) > FITTING)
})
