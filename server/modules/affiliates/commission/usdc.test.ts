import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, post } from '#ledger'
import { newId } from '#platform/kernel/id'
import { AffiliateTrial, sharedService, type Market, type TestService } from '#test'

let service: TestService
let trial: AffiliateTrial
before(async () => {
  service = await sharedService()
  trial = new AffiliateTrial(service, await service.adminToken())
})
after(() => service.close())

/** Gives the buyer 100 USDC. */
async function receiveUsdc({ buyer }: Market): Promise<void> {
  const wallet = await service.http<{ id: string }>('POST', '/wallets', {
    token: buyer.token,
    body: { currency: 'USDC' },
  })
  assert.equal(wallet.status, 201, wallet.text)
  await service.services.db.transaction(tx =>
    post(tx, {
      kind: 'test',
      key: `test/${newId()}`,
      legs: [
        {
          debit: accounts.promotion,
          credit: accounts.wallet(wallet.body.id),
          amount: 100_000_000n,
          asset: 'USDC',
        },
      ],
    }),
  )
}

test('the sums of the dashboard name what deals in USDC earn', async () => {
  const earner = await trial.affiliate()
  const market = await trial.market(earner)
  await receiveUsdc(market)
  await trial.release(market, await trial.delivered(market, { currency: 'USDC' }))
  const [row] = await trial.commissions(earner)
  assert.deepEqual([row?.status, row?.amount, row?.currency], ['PENDING', '4.00', 'USDC'])
  const { body } = await service.http<Record<string, Record<string, string>>>(
    'GET',
    '/affiliates/dashboard',
    earner,
  )
  const nothing = { expected: '0.00', pending: '0.00', available: '0.00', paid: '0.00' }
  assert.deepEqual(body.commissions, nothing)
  assert.deepEqual(body.commissionsUsdc, { ...nothing, pending: '4.00' })
})
