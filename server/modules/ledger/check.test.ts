import assert from 'node:assert/strict'
import { after, beforeEach, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accounts, checkLedger, openAccounts, post, sealLedger, verifyLedgerChain } from '#ledger'
import { newId } from '#platform/kernel/id'
import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part, sql, type SqlPart } from '#platform/kernel/sql'
import { openTestDb, type TestDb } from '../../../test/support/database/db.ts'
import { sealAll } from '../../../test/support/database/sealing.ts'

let test: TestDb
beforeEach(async () => {
  await test?.close()
  test = await openTestDb()
  await test.db.transaction(async tx => {
    const wallet = accounts.wallet('w')
    await openAccounts(tx, [{ account: wallet, asset: 'USD' }])
    await post(tx, {
      kind: 'fund',
      key: newId(),
      legs: [{ debit: accounts.processor, credit: wallet, amount: 100n, asset: 'USD' }],
    })
    await post(tx, {
      kind: 'fee',
      key: newId(),
      legs: [{ debit: wallet, credit: accounts.marketplaceFee, amount: 30n, asset: 'USD' }],
    })
  })
})
after(() => test.close())

it('reports the figures and no findings of a consistent ledger', async () => {
  const { ok, findings, figures } = await checkLedger(test.db)
  assert.deepEqual({ ok, findings }, { ok: true, findings: [] })
  assert.deepEqual(
    { ...figures, trial: figures.trial.map(row => [row.code, row.kind, row.balance]) },
    {
      journals: 2,
      entries: 4,
      accounts: 1,
      trial: [
        ['1010', 'asset', -100n],
        ['2010', 'liability', 70n],
        ['4010', 'revenue', 30n],
      ],
    },
  )
})

const DAMAGES: [string, SqlPart[], RegExp][] = [
  [
    'a balance that its entries do not explain',
    [part`update ledger_balance set balance = balance + 1`],
    /balance of 2010:w is 71, its entries sum to 70/,
  ],
  [
    'a balance row that is missing',
    [part`alter table ledger_balance disable trigger user`, part`delete from ledger_balance`],
    /balance of 2010:w is missing/,
  ],
  [
    'a balance below zero',
    [
      part`alter table ledger_balance drop constraint ledger_balance_not_negative`,
      part`update ledger_balance set balance = -1`,
    ],
    /2010:w is -1/,
  ],
  [
    'an entry that does not balance',
    [
      part`insert into ledger_entry (account, asset, amount, journal_id) select '4010', 'USD', 5, id from ledger_journal limit 1`,
    ],
    /journal .* sums to 5 USD/,
  ],
  [
    'an entry for an account outside the chart',
    [
      part`insert into ledger_entry (account, asset, amount, journal_id) select '7777', 'USD', 5, id from ledger_journal limit 1`,
    ],
    /account 7777 is not as the chart says/,
  ],
  [
    'a wallet without a guard',
    [
      part`insert into ledger_entry (account, asset, amount, journal_id) select '2010:w', 'USD', 5, id from ledger_journal limit 1`,
    ],
    /account 2010:w is not as the chart says/,
  ],
  [
    'a wrong balance after',
    [
      part`alter table ledger_entry disable trigger user`,
      part`update ledger_entry set balance_after = 99 where balance_after = 100`,
    ],
    /says 99, the running sum is 100/,
  ],
  [
    'a journal without entries',
    [
      part`alter table ledger_entry disable trigger user`,
      part`delete from ledger_entry where journal_id = (select id from ledger_journal where kind = 'fee')`,
    ],
    /has no entries/,
  ],
  [
    'a rollup that its entries do not explain',
    [part`insert into ledger_rollup values ('4010', 'USD', 7)`],
    /rollup and tail of 4010 are 37, its entries sum to 30/,
  ],
  [
    'a journal gone from the queue of unsealed ones',
    [part`delete from ledger_unsealed`],
    /assets = liabilities/,
  ],
]
for (const [what, damages, expected] of DAMAGES) {
  it(`finds ${what}`, async () => {
    await test.db.transaction(async tx => {
      for (const damage of damages) await tx.run(sql`${damage}`)
    })
    const { ok, findings } = await checkLedger(test.db)
    assert.equal(ok, false)
    assert.match(findings.join('\n'), expected)
  })
}

it('asks the rules of upper modules too', async () => {
  const extra: LedgerCheck = {
    name: 'a terminal escrow holds 0',
    statement: ({ last }) => part`select 'escrow e holds 1' as finding where ${last}`,
  }
  assert.deepEqual((await checkLedger(test.db, [extra])).findings, [
    'a terminal escrow holds 0: escrow e holds 1',
  ])
})

it('continues from the last proved block, and reads the parts before in a full run only', async () => {
  const fund = () =>
    test.db.transaction(tx =>
      post(tx, {
        kind: 'fund',
        key: newId(),
        legs: [{ debit: accounts.processor, credit: accounts.wallet('w'), amount: 1n, asset: 'USD' }],
      }),
    )
  const seal = async (items: number) => {
    let sealed = 0
    for (const deadline = Date.now() + 60_000; sealed < items; await sleep(5)) {
      sealed += await sealLedger(test.db, test.secrets)
      assert.ok(Date.now() < deadline)
    }
    const { head } = await test.db.one(
      sql<{ head: number }>`select max(number)::int as head from ledger_block`,
    )
    return head
  }
  const first = await seal(2)
  const proved = await checkLedger(test.db)
  assert.deepEqual([proved.ok, proved.from, proved.to], [true, 0, first])
  await test.db.transaction(async tx => {
    await tx.run(sql`alter table ledger_entry disable trigger user`)
    // Before the proved point; the account's balance and the last entry stay as they are.
    await tx.run(
      sql`update ledger_entry set amount = 101, balance_after = 101 where account = '2010:w' and amount = 100`,
    )
    await tx.run(sql`update ledger_entry set amount = -31 where account = '2010:w' and amount = -30`)
    await tx.run(sql`alter table ledger_entry enable trigger user`)
  })
  await fund()
  const next = await checkLedger(test.db)
  assert.deepEqual(
    [next.findings, next.from, next.to, next.figures.journals, next.figures.entries],
    [[], first, first, 3, 6],
    'it does not read what was proved',
  )
  const second = await seal(1)
  const last = await checkLedger(test.db)
  assert.deepEqual([last.findings, last.from, last.to], [[], first, second])
  const full = await checkLedger(test.db, [], { full: true })
  assert.match(full.findings.join(), /journal .* sums to 1 USD/)
  assert.match(
    (await verifyLedgerChain(test.db, test.secrets)).findings.join(),
    /its entries are not what its legs say/,
  )
  assert.equal((await checkLedger(test.db)).from, second, 'a full run leaves the proof as it is')
})

it('does not advance beyond a finding, and reports it in every run', async () => {
  await test.db.transaction(async tx => {
    await tx.run(
      sql`insert into ledger_entry (account, asset, amount, journal_id) select '4010', 'USD', 5, id from ledger_journal limit 1`,
    )
  })
  await sealAll(test.db, test.secrets)
  for (let run = 0; run < 2; run++) {
    const { findings, to } = await checkLedger(test.db)
    assert.match(findings.join(), /sums to 5 USD/)
    assert.equal(to, 0)
  }
})

it('finds that the end of the chain was cut off before the proved block', async () => {
  await sealAll(test.db, test.secrets)
  await checkLedger(test.db)
  await test.db.transaction(async tx => {
    await tx.run(sql`alter table ledger_block disable trigger user`)
    await tx.run(sql`delete from ledger_block`)
  })
  assert.match((await checkLedger(test.db)).findings.join(), /the end of the chain was cut off/)
})

it('goes on sealing where a sum leaves bigint', async () => {
  for (let n = 0; n < 3; n++)
    await test.db.transaction(async tx => {
      const wallet = accounts.testCredit(newId())
      await openAccounts(tx, [{ account: wallet, asset: 'USD' }])
      await post(tx, {
        kind: 'test_credit',
        key: newId(),
        legs: [
          { debit: accounts.testFloat, credit: wallet, amount: 4_000_000_000_000_000_000n, asset: 'USD' },
        ],
      })
    })
  for (
    const deadline = Date.now() + 60_000;
    (await test.db.one(sql<{ count: number }>`select count(*)::int as count from ledger_unsealed`)).count;
    await sleep(5)
  ) {
    await sealLedger(test.db, test.secrets)
    assert.ok(Date.now() < deadline)
  }
  const { findings, figures } = await checkLedger(test.db)
  assert.deepEqual(
    [findings, figures.trial.find(row => row.code === '1090')?.balance],
    [[], -12_000_000_000_000_000_000n],
  )
})

it('sees one moment of a service that posts and seals meanwhile', async () => {
  const end = new AbortController()
  const posting = async () => {
    while (!end.signal.aborted) {
      await test.db.transaction(tx =>
        post(tx, {
          kind: 'fund',
          key: newId(),
          legs: [{ debit: accounts.processor, credit: accounts.wallet('w'), amount: 1n, asset: 'USD' }],
        }),
      )
    }
  }
  const sealing = async () => {
    while (!end.signal.aborted) await sealLedger(test.db, test.secrets)
  }
  const busy = Promise.all([posting(), posting(), sealing()])
  for (let round = 0; round < 20; round++) assert.deepEqual((await checkLedger(test.db)).findings, [])
  end.abort()
  await busy
})
