import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { createWallet } from '#wallets'
import { after as later, HOUR } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { strandedStates } from '#platform/kernel/machine'
import { openTestDb, type TestDb } from '#test'
import { book, end, walletFundingDestination } from './booking.ts'
import { paymentFailed } from '../events.ts'
import { intentMachine } from './machine.ts'
import { paymentDestination } from '../ports.ts'
import * as statements from '../sql.ts'

const AMOUNT = 25_000_000n
const failed: string[] = []
let database: TestDb

before(async () => {
  database = await openTestDb()
  database.bindings.add('test', [
    paymentDestination.with('WALLET_FUNDING', walletFundingDestination),
    paymentFailed.with(async (_tx, { reference, reason }) => {
      failed.push(`${reference}: ${reason}`)
    }),
  ])
})
after(() => database.close())

const work = <T>(work: (tx: Tx) => Promise<T>) => database.db.transaction(work)
const balance = (account: string) => balanceOf(database.db, account, 'USD')
const newWallet = async () => {
  const ownerId = newId()
  return (await work(tx => createWallet(tx, { ownerType: 'USER', ownerId, accountId: ownerId }))).id
}
const payment = async (purpose: string) => {
  const reference = await newWallet()
  return work(tx =>
    tx.one(
      statements.insertIntent({
        id: newId(),
        purpose,
        reference,
        accountId: newId(),
        amount: AMOUNT,
        currency: 'USD',
        rail: 'card',
        paymentMethod: null,
        returnUrl: null,
        cancelUrl: null,
        receipt: false,
        askAt: later(tx.now, HOUR),
        expiresAt: later(tx.now, HOUR),
        createdAt: tx.now,
      }),
    ),
  )
}
const receipt = { feeCents: 103, processorId: `pi_${newId()}` }

test('a payment goes to the destination of its purpose, in one journal with the fee', async () => {
  const intent = await payment('WALLET_FUNDING')
  const booked = await work(tx => book(tx, intent, receipt))
  assert.deepEqual([booked.status, booked.processorId], ['SUCCEEDED', receipt.processorId])
  assert.deepEqual(
    [
      await balance(accounts.wallet(intent.reference)),
      await balance(accounts.processorFee),
      await balance(accounts.processor),
    ],
    [AMOUNT, -1_030_000n, -23_970_000n],
  )
})

test('money for an unknown purpose waits in suspense', async () => {
  const intent = await payment('NOBODY_KNOWS')
  await work(tx => book(tx, intent, { feeCents: 0, processorId: null }))
  assert.equal(await balance(accounts.suspense), AMOUNT)
})

test('a payment is booked once: a second confirmation of the same row is refused and posts nothing', async () => {
  const intent = await payment('WALLET_FUNDING')
  await work(tx => book(tx, intent, { feeCents: 0, processorId: null }))
  await assert.rejects(
    work(tx => book(tx, intent, { feeCents: 0, processorId: null })),
    /Cannot confirm while PENDING/,
  )
  assert.equal(await balance(accounts.wallet(intent.reference)), AMOUNT)
})

test('a failed payment publishes an event, and money that arrives later is booked', async () => {
  const intent = await payment('WALLET_FUNDING')
  const ended = await work(tx =>
    end(tx, intent, {
      event: 'fail',
      by: 'processor',
      code: 'card_declined',
      message: 'Your card was declined.',
    }),
  )
  assert.deepEqual(failed, [`${intent.reference}: Your card was declined.`])
  assert.equal((await work(tx => book(tx, ended, { feeCents: 0, processorId: null }))).status, 'SUCCEEDED')
  assert.equal(await balance(accounts.wallet(intent.reference)), AMOUNT)
})

test('every payment ends by itself', () => {
  assert.deepEqual(strandedStates(intentMachine), [])
})
