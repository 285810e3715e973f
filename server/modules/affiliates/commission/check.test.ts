import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { checkLedger } from '#ledger'
import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part, sql } from '#platform/kernel/sql'
import { AffiliateTrial, startTestService, type TestService } from '#test'
import { commissionChecks } from './check.ts'

suite('the ledger check of commissions', () => {
  let service: TestService
  let trial: AffiliateTrial
  before(async () => {
    service = await startTestService()
    trial = new AffiliateTrial(service, await service.adminToken())
  })
  after(() => service.close())

  /** How PostgreSQL runs a rule where an index is cheaper than a scan, as with many rows. */
  const planOf = async ({ statement }: LedgerCheck): Promise<string> => {
    const scope = { journals: part`select id from ledger_journal`, last: true, full: true }
    return service.services.db.transaction(async tx => {
      await tx.run(sql`set local enable_seqscan = off`)
      const rows = await tx.rows<object>(sql`explain ${statement(scope)}`)
      return rows.flatMap(row => Object.values(row)).join('\n')
    })
  }

  test('finds an amount that the books do not hold', async () => {
    const { db } = service.services
    const findings = async () => (await checkLedger(db, commissionChecks, { full: true })).findings
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    await trial.release(market, await trial.delivered(market))
    assert.deepEqual(await findings(), [])
    const add = (more: bigint) =>
      db.run(
        sql`update affiliates_commission set amount = amount + ${more} where profile_id = ${earner.profileId}`,
      )
    await add(1n)
    assert.match(
      (await findings()).join(),
      new RegExp(`account 2050:${earner.profileId} holds 4000000 USD, its commissions say 4000001`),
    )
    await add(-1n)
  })

  test('finds the commissions of an account by an index', async () => {
    for (const check of commissionChecks) assert.match(await planOf(check), /Index Cond: \(profile_id = CASE/)
  })
})
