import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf, openAccounts } from '#ledger'
import { after as later, HOUR } from '#platform/clock'
import type { Tx } from '#platform/db'
import { newId } from '#platform/id'
import { strandedStates } from '#platform/machine'
import { openTestDb, type TestDb } from '#test'
import { book, end } from './booking.ts'
import { intentMachine } from './intent-machine.ts'
import * as statements from './sql.ts'

const AMOUNT = 25_000_000n
const failed: string[] = []
let database: TestDb

before(async () => {
  database = await openTestDb()
  database.reactions
    .on('payment.confirmed', async (tx, { purpose, reference, amount, asset }) => {
      if (purpose !== 'ESCROW') return undefined
      await openAccounts(tx, [{ account: accounts.escrow(reference), asset }])
      return { legs: [{ debit: accounts.processor, credit: accounts.escrow(reference), amount, asset }] }
    })
    .on('payment.failed', async (_tx, { reference, reason }) => { failed.push(`${reference}: ${reason}`) })
})
after(() => database.close())

const act = <T>(work: (tx: Tx) => Promise<T>) => database.db.transaction(work)
const balance = (account: string) => balanceOf(database.db, account, 'USD')
const payment = (purpose: string, reference = newId()) => act(tx => tx.one(statements.insertIntent({
  id: newId(), purpose, reference, account_id: newId(), amount: AMOUNT, currency: 'USD', rail: 'card', payment_method: null, return_url: null,
  ask_at: later(tx.now, HOUR), expires_at: later(tx.now, HOUR), created_at: tx.now,
})))
const receipt = { feeCents: 103, processorId: `pi_${newId()}` }

test('money for another purpose goes where its follower says, in the same journal as the fee', async () => {
  const intent = await payment('ESCROW')
  const booked = await act(tx => book(tx, intent, receipt))
  assert.deepEqual([booked.status, booked.processor_id], ['SUCCEEDED', receipt.processorId])
  assert.deepEqual([await balance(accounts.escrow(intent.reference)), await balance(accounts.processorFee), await balance(accounts.processor)], [AMOUNT, -1_030_000n, -23_970_000n])
})

test('money that nobody follows waits in suspense', async () => {
  const intent = await payment('NOBODY_KNOWS')
  await act(tx => book(tx, intent, { feeCents: 0, processorId: null }))
  assert.equal(await balance(accounts.suspense), AMOUNT)
})

test('a payment is booked once: a second confirmation of the same row is refused and posts nothing', async () => {
  const intent = await payment('ESCROW')
  await act(tx => book(tx, intent, { feeCents: 0, processorId: null }))
  await assert.rejects(act(tx => book(tx, intent, { feeCents: 0, processorId: null })), /Cannot confirm while PENDING/)
  assert.equal(await balance(accounts.escrow(intent.reference)), AMOUNT)
})

test('a payment that failed tells its followers, and money that comes after all is booked', async () => {
  const intent = await payment('ESCROW')
  const ended = await act(tx => end(tx, intent, { event: 'fail', by: 'processor', code: 'card_declined', message: 'Your card was declined.' }))
  assert.deepEqual(failed, [`${intent.reference}: Your card was declined.`])
  assert.equal((await act(tx => book(tx, ended, { feeCents: 0, processorId: null }))).status, 'SUCCEEDED')
  assert.equal(await balance(accounts.escrow(intent.reference)), AMOUNT)
})

test('every payment ends by itself', () => {
  assert.deepEqual(strandedStates(intentMachine), [])
})
