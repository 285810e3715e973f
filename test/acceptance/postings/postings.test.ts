import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sharedChainService, type TestService } from '#test'
import { chart } from '../../../server/modules/ledger/accounts.ts'
import { Books } from './books.ts'
import { driveCardDeals, driveCardRefunds, driveCards, driveSuspense } from './cards.ts'
import { ChainSales } from './chain.ts'
import { driveChargebacks, driveRecoveries } from './chargebacks.ts'
import { driveDeals, driveTestDeals } from './deals.ts'
import { journalKinds, sourcesOfModules } from './kinds.ts'
import { driveCommissions } from './commissions.ts'
import { drivePayouts, driveSubscriptions } from './payouts.ts'
import { driveProviders, driveRouting } from './routing.ts'
import { driveRoutingKeys } from './routing-keys.ts'
import { ROWS } from './table.ts'
import { driveTransfers, driveUnclaimed, driveVouchers } from './wallets.ts'

suite('every posting row is driven over HTTP, with its legs and balances', () => {
  let service: TestService
  let books: Books
  before(async () => {
    service = await sharedChainService()
    books = new Books(service)
  })
  after(() => service.close())

  test('cards, and money that fits no payment', async () => {
    await driveCards(service, books)
    await driveSuspense(service, books)
  })
  test('deals that a card pays for, and refunds to it', async () => {
    await driveCardDeals(service, books)
    await driveCardRefunds(service, books)
  })
  test('transfers, test credit and vouchers', async () => {
    await driveTransfers(service, books)
    await driveVouchers(service, books)
  })
  test('unclaimed funds of deleted accounts and organizations', () => driveUnclaimed(service, books))
  test('deals in real money', () => driveDeals(service, books))
  test('deals in test credit, and freezes', () => driveTestDeals(service, books))
  test('chargebacks', () => driveChargebacks(service, books))
  test('debts that returned money pays', () => driveRecoveries(service, books))
  test('commissions of affiliates', () => driveCommissions(service, books))
  test('payouts to a bank', () => drivePayouts(service, books))
  test('subscriptions', () => driveSubscriptions(service, books))
  test('routing balances, leases and usage', () => driveRouting(service, books))
  test('what providers of models are owed and paid', () => driveProviders(books))
  test('routing keys', () => driveRoutingKeys(service, books))
  test('payments, suspense and payouts on the chain', async () => {
    const sales = await ChainSales.open(service, books)
    await sales.drivePayments()
    await sales.driveEscrow()
    await sales.driveSuspense()
    await sales.drivePayout()
  })

  test('no row is left out, and every kind of journal in the code has a row', async () => {
    assert.deepEqual([...books.driven].sort(), [...ROWS.keys()].sort())
    const kinds = journalKinds(await sourcesOfModules())
    const inTable = new Set([...ROWS.values()].map(({ kind }) => kind).filter(kind => kind !== ''))
    assert.deepEqual([...kinds.keys()].sort(), [...inTable].sort())
  })

  test('a kind without a row is found, and one that cannot be read fails', () => {
    const source = (kind: string) =>
      new Map([
        ['new.ts', `import { post } from '#ledger'\nawait post(tx, {\n  kind: ${kind},\n  key,\n})\n`],
      ])
    assert.deepEqual([...journalKinds(source(`'interest'`)).keys()], ['interest'])
    assert.throws(() => journalKinds(source('kindOf(event)')), /say in this file what the kind/)
  })

  test('every account of the chart is in a row', () => {
    const legs = [...ROWS.values()].flatMap(row => row.legs).join(' ')
    assert.deepEqual(
      chart.map(({ code }) => code).filter(code => !new RegExp(`(?:^| |->)${code}\\b`).test(legs)),
      [],
    )
  })
})
