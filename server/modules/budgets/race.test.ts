import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { registerHuman, sharedService, type Person, type TestService } from '#test'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { MICRO } from '#platform/kernel/money'
import { sql } from '#platform/kernel/sql'
import { chargeBudget } from './charge.ts'
import { insertSpend, lockPolicy, setPolicy, usageOf } from './sql.ts'

const CALLERS = 32
const FITTING = 5
const AMOUNT = 10n * MICRO
const MONTHLY = AMOUNT * BigInt(FITTING)
const LONG_AGO = new Date(0)

let service: TestService
let owner: Person
let counter = 0
before(async () => {
  service = await sharedService()
  owner = await registerHuman(service)
})
after(() => service.close())

/** How many of 32 parallel payments pass `charge` against a budget of five of them. */
async function race(charge: (tx: Tx, organizationId: string) => Promise<unknown>): Promise<number> {
  const { db } = service.services
  const { id } = (
    await service.http<{ id: string }>('POST', '/organizations', {
      token: owner.token,
      body: { slug: `race-works-${counter++}`, name: 'Works' },
    })
  ).body
  await db.transaction(async tx => {
    await tx.one(lockPolicy(id))
    await tx.run(setPolicy(id, { perTransactionLimit: null, monthlyLimit: MONTHLY, updatedAt: tx.now }))
  })
  const ends = await Promise.allSettled(
    Array.from({ length: CALLERS }, () => db.transaction(tx => charge(tx, id))),
  )
  return ends.filter(({ status }) => status === 'fulfilled').length
}

test('parallel payments never exceed the budget', async () => {
  const principal = {
    via: 'session',
    accountId: owner.id,
    userType: 'HUMAN',
    role: 'USER',
    sessionId: newId(),
  } as const
  const ctx = { principal, ip: '127.0.0.1', userAgent: null, requestId: 'test' }
  const charge = (tx: Tx, ownerId: string) =>
    chargeBudget(tx, ctx, { ownerType: 'ORGANIZATION', ownerId }, { reference: newId(), amount: AMOUNT })
  assert.equal(await race(charge), FITTING)
})

test('a check without the lock lets parallel payments exceed the budget', async () => {
  let readers = 0
  const { promise: allHaveRead, resolve } = Promise.withResolvers<void>()
  const naive = async (tx: Tx, organizationId: string) => {
    const { total } = await tx.one(usageOf({ organizationId, accountId: owner.id, since: LONG_AGO }))
    if (++readers > FITTING) resolve()
    await allHaveRead
    if (total + AMOUNT > MONTHLY) throw new Error('exceeded')
    const spend = { reference: newId(), organizationId, accountId: owner.id, amount: AMOUNT, at: tx.now }
    tx.write(sql`${insertSpend(spend)}`)
  }
  assert.ok((await race(naive)) > FITTING)
})
