import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { checkLedger } from '#ledger'
import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part, sql } from '#platform/kernel/sql'
import { PayoutTrial, registerHuman, startTestService, type TestService } from '#test'
import { payoutChecks } from './check.ts'

suite('the ledger check of payouts', () => {
  let service: TestService
  let superuser: pg.Client
  before(async () => {
    service = await startTestService()
    superuser = new pg.Client({ connectionString: service.superuserUrl })
    await superuser.connect()
    await superuser.query('alter table ledger_journal disable trigger user')
  })
  after(async () => {
    await superuser.end()
    await service.close()
  })

  /** How PostgreSQL runs a rule where an index is cheaper than a scan, as with many rows. */
  const planOf = async ({ statement }: LedgerCheck): Promise<string> => {
    const scope = { journals: part`select id from ledger_journal`, last: true, full: true }
    return service.services.db.transaction(async tx => {
      await tx.run(sql`set local enable_seqscan = off`)
      const rows = await tx.rows<object>(sql`explain ${statement(scope)}`)
      return rows.flatMap(row => Object.values(row)).join('\n')
    })
  }

  test('finds a payout that its journal does not say, and a journal without its payout', async () => {
    const { db } = service.services
    const findings = async () => (await checkLedger(db, payoutChecks, { full: true })).findings.join()
    const trial = new PayoutTrial(service, await registerHuman(service))
    await trial.ready(50)
    const { id } = (await trial.request({ amount: '25.00' })).body
    assert.equal(await findings(), '')
    const add = (more: bigint) =>
      db.run(sql`update payouts_payout set amount = amount + ${more} where id = ${id}`)
    const wrong = (payout: string) =>
      new RegExp(`journal \\S+ \\(payout_requested\\) is not what payout ${payout} says`)
    await add(10_000n)
    assert.match(await findings(), wrong(id))
    await add(-10_000n)
    const key = `payout/${id}/requested`
    const rename = (from: string, to: string) =>
      superuser.query('update ledger_journal set key = $2 where key = $1', [from, to])
    await rename(key, 'payout/1/requested')
    assert.match(await findings(), wrong('unknown'))
    await rename('payout/1/requested', key)
  })

  test('finds the payout of a journal by its id', async () => {
    const check = payoutChecks.find(({ name }) => name.startsWith('every payout journal'))
    assert.ok(check)
    assert.match(await planOf(check), /(?:Index|Hash|Merge) Cond: .*CASE/)
  })
})
