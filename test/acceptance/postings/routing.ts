import assert from 'node:assert/strict'
import { fund, ProgrammableUpstream, registerHuman, startTestService, type TestService } from '#test'
import { sql } from '#platform/kernel/sql'
import { createFunds, type InstanceFunds } from '../../../server/modules/gateway/funds/index.ts'
import type { RoutingKey } from '../../../server/modules/gateway/core/key.ts'
import { reserveExactly, routingKey, usageRecord } from '../../support/gateway/funds.ts'
import { Books } from './books.ts'

const CENT = 10_000n

/** Top-ups over HTTP, and the leases of an instance of its own, whose times the test decides. */
export async function driveRouting(service: TestService, books: Books): Promise<void> {
  const ada = await registerHuman(service)
  await fund(service, ada, 20)
  const names = { wallet: ada.walletId, account: ada.id }
  const post = (path: string, body: object) => async () => {
    const { status, text } = await service.http('POST', path, { token: ada.token, body })
    assert.equal(status, 200, text)
    return names
  }
  await books.drive('routingTopup', post('/v1/wallet/topup', { amount: 5 }), [ada])
  await books.drive('routingReturned', post('/v1/wallet/withdraw', { amount: 1 }), [ada])
  await service.http('POST', '/wallets/admin/test-credit', {
    token: await service.adminToken(),
    body: { walletId: ada.walletId, amount: 6, reason: 'test' },
  })
  await books.drive('routingTestTopup', post('/v1/wallet/topup', { amount: 6 }), [ada])
  await books.drive(
    'cardRouting',
    async () => {
      const body = { amount: 5, paymentMethodId: 'pm_card_visa' }
      const path = '/v1/wallet/topup'
      const paid = await service.http<{ paymentId: string }>('POST', path, { token: ada.token, body })
      assert.equal(paid.status, 200, paid.text)
      return { account: ada.id, payment: paid.body.paymentId }
    },
    [ada],
  )
  await driveLeases(service, books, ada.id)
  await post('/v1/wallet/topup', { amount: 1 })()
  await driveLate(service, books, ada.id)
}

/** What the operator owes to providers: what probes cost, and the invoices that it pays. */
export async function driveProviders(books: Books): Promise<void> {
  const upstream = await ProgrammableUpstream.open()
  const service = await startTestService(upstream.settings('openai'))
  try {
    const own = new Books(service)
    const token = await service.adminToken()
    const { body: admin } = await service.http<{ id: string }>('GET', '/users/me', { token })
    await own.drive('probeCost', async () => {
      const { status, text } = await service.http('POST', '/v1/routing/admin/probe-models', { token })
      assert.equal(status, 201, text)
      return { admin: admin.id }
    })
    const invoice = 'INV-2026-11-30-0000000042'
    const record = (amount: number) =>
      service.http('POST', '/admin/providers/openai/invoices', { token, body: { invoice, amount } })
    await own.drive('providerInvoice', async () => {
      for (let time = 0; time < 2; time++) assert.equal((await record(12.5)).status, 201)
      return { invoice }
    })
    assert.equal((await record(13)).status, 409)
    for (const row of own.driven) books.driven.add(row)
  } finally {
    await service.close()
    await upstream.close()
  }
}

async function leaseOf(
  { services: { db } }: Pick<TestService, 'services'>,
  accountId: string,
): Promise<string> {
  const { id } = await db.one(
    sql<{
      id: string
    }>`select id from gateway_lease where account_id = ${accountId} order by id desc limit 1`,
  )
  return id
}

interface Spend {
  key: RoutingKey
  reserved: bigint
  cost: bigint
  test?: boolean
}

async function spend(funds: InstanceFunds, { key, reserved, cost, test = false }: Spend): Promise<void> {
  const reservation = await reserveExactly(funds, key, reserved, { test })
  reservation.settle(usageRecord(key, cost, { simulated: test }))
}

async function driveLeases(service: TestService, books: Books, account: string): Promise<void> {
  const key = routingKey(account)
  // One request of 0.10 with its fee, and one of 0.07 that had reserved 0.05.
  await books.drive(['leaseTaken', 'leaseFlushed', 'leaseClosed'], async () => {
    const funds = createFunds(service.services)
    await spend(funds, { key, reserved: 11n * CENT, cost: 10n * CENT })
    await spend(funds, { key, reserved: 5n * CENT, cost: 7n * CENT })
    await funds.stop()
    return { account, lease: await leaseOf(service, account) }
  })
  await books.drive(['testLeaseTaken', 'testLeaseFlushed', 'testLeaseClosed'], async () => {
    const funds = createFunds(service.services)
    await spend(funds, { key, reserved: 11n * CENT, cost: 10n * CENT, test: true })
    await funds.stop()
    return { account, lease: await leaseOf(service, account) }
  })
}

/** The lease expires, and is closed by a sweep, while a request of it is under way. */
async function driveLate(
  { services }: Pick<TestService, 'services'>,
  books: Books,
  account: string,
): Promise<void> {
  await books.drive(['leaseTaken', 'leaseExpired', 'lateUsage'], async () => {
    const funds = createFunds(services)
    const key = routingKey(account)
    const reservation = await reserveExactly(funds, key, 11n * CENT, { test: false })
    const lease = await leaseOf({ services }, account)
    await services.db.run(sql`update gateway_lease set expires_at = clock_timestamp() where id = ${lease}`)
    await funds.sweep()
    reservation.settle(usageRecord(key, 10n * CENT, { simulated: false }))
    await funds.stop()
    return { account, lease }
  })
}
