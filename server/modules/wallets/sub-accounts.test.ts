import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf, lockBalances, openAccounts, post } from '#ledger'
import { isInsufficientBalance } from '../ledger/errors.ts'
import { createWallet, creditAccount, setWalletController, walletPorts, type Wallet } from '#wallets'
import { walletView } from './view.ts'
import { debitAccountOf, defaultWallet, subAccounts } from './wallet.ts'
import { newId } from '#platform/kernel/id'
import type { Asset } from '#platform/kernel/money'
import { openTestDb, type TestDb } from '#test'

const USD = 1_000_000n
let database: TestDb
before(async () => {
  database = await openTestDb()
})
after(() => database.close())

const newWallet = (
  ownerType: 'USER' | 'AGENT' = 'USER',
  ownerId = newId(),
  accountId = ownerId,
): Promise<Wallet> => database.db.transaction(tx => createWallet(tx, { ownerType, ownerId, accountId }))
const give = (wallet: Wallet, amount: bigint, test: boolean) =>
  database.db.transaction(tx =>
    post(tx, {
      kind: 'give',
      key: newId(),
      legs: [
        {
          debit: test ? accounts.testFloat : accounts.processor,
          credit: creditAccount(wallet, test),
          amount,
          asset: wallet.currency,
        },
      ],
    }),
  )
/** What an upper module does: select a sub-account and post from it in the same transaction. */
const spend = (wallet: Wallet, amount: bigint, into: string, asset: Asset = 'USD') =>
  database.db.transaction(async tx => {
    const balances = await lockBalances(tx, subAccounts(wallet), wallet.currency)
    const { account, test } = debitAccountOf(wallet, amount, balances)
    await post(tx, { kind: 'spend', key: newId(), legs: [{ debit: account, credit: into, amount, asset }] })
    return test
  })

test('pays concurrently with test credit first, then real money, then rejects', async () => {
  const wallet = await newWallet()
  await give(wallet, 10n * USD, true)
  await give(wallet, 10n * USD, false)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, () => spend(wallet, USD, accounts.suspense)),
  )
  const spent = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  assert.deepEqual([spent.filter(Boolean).length, spent.filter(test => !test).length], [10, 10])
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert.ok(isInsufficientBalance(outcome.reason))
  assert.equal(await balanceOf(database.db, accounts.wallet(wallet.id), 'USD'), 0n)
})

test('counts reserved funds in the balance and not as available', async () => {
  const wallet = await newWallet()
  const escrow = accounts.escrow(newId())
  database.bindings.add('test', [
    walletPorts.walletReservations.with(
      async (_q, { walletIds }) => new Map(walletIds.includes(wallet.id) ? [[wallet.id, 3n * USD]] : []),
    ),
  ])
  await database.db.transaction(tx => openAccounts(tx, [{ account: escrow, asset: 'USD' }]))
  await give(wallet, 10n * USD, false)
  await spend(wallet, 3n * USD, escrow)
  const { balance, available, reserved, withdrawable } = await walletView(database.db, wallet)
  assert.deepEqual(
    { balance, available, reserved, withdrawable },
    { balance: '10.00', available: '7.00', reserved: '3.00', withdrawable: '7.00' },
  )
})

test('moves all wallets of an agent to its new owner on a claim', async () => {
  const [agentId, claimer] = [newId(), newId()]
  await newWallet('AGENT', agentId, newId())
  await database.db.transaction(tx => setWalletController(tx, 'AGENT', agentId, claimer))
  assert.equal((await defaultWallet(database.db, 'AGENT', agentId))?.accountId, claimer)
})
