import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  mine,
  Payer,
  registerHuman,
  sharedChainService,
  type Person,
  type TestService,
  type X402Answer,
} from '#test'

interface Funded {
  transaction: { id: string; status: string; amount: string; currency: string }
  checkout: { id: string; url: string }
  paymentRequest: { to: `0x${string}`; amount: string; currency: string; network: string; statusUrl: string }
  code: string
}

suite('funding a wallet in USDC', () => {
  let service: TestService
  let owner: Person
  let payer: Payer
  let walletId: string
  before(async () => {
    service = await sharedChainService()
    owner = await registerHuman(service)
    payer = await Payer.open(service, 100)
    const { body } = await service.http<{ id: string }>('POST', '/wallets', {
      token: owner.token,
      body: { currency: 'USDC' },
    })
    walletId = body.id
  })
  after(() => service.close())

  const fund = (body: object, { wallet = walletId, key }: { wallet?: string; key?: string } = {}) =>
    service.http<Funded>('POST', `/wallets/${wallet}/fund`, {
      token: owner.token,
      body: { rail: 'x402', ...body },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    })
  async function requested(amount: number): Promise<Funded> {
    const { status, body, text } = await fund({ amount })
    assert.equal(status, 201, text)
    return body
  }
  const balance = async () =>
    (await service.http<{ available: string }>('GET', `/wallets/${walletId}`, { token: owner.token })).body
      .available
  const read = async ({ paymentRequest }: Funded) =>
    (await service.http<X402Answer>('GET', new URL(paymentRequest.statusUrl).pathname)).body
  const statusOf = async (funded: Funded) => (await read(funded)).status

  test('the final transfer credits the wallet, once', async () => {
    const first = await fund({ amount: '2.5' }, { key: 'fund in USDC' })
    assert.equal(first.status, 201, first.text)
    const { transaction, paymentRequest } = first.body
    assert.deepEqual(
      [transaction.status, transaction.amount, paymentRequest.amount, paymentRequest.currency],
      ['PENDING', '2.50', '2.50', 'USDC'],
    )
    const again = await fund({ amount: '2.5' }, { key: 'fund in USDC' })
    assert.equal(again.body.paymentRequest.to, paymentRequest.to)
    await payer.transfer(paymentRequest.to, 2_500_000n)
    await mine(service)
    assert.deepEqual([await statusOf(first.body), await balance()], ['FINAL', '2.50'])
    const byClient = await requested(1)
    const pay = await payer.fetch()
    const paid = await pay(byClient.checkout.url)
    assert.equal(paid.status, 200)
    await mine(service)
    assert.deepEqual([await statusOf(byClient), await balance()], ['FINAL', '3.50'])
  })

  test('another amount waits for an operator, a late payment counts', async () => {
    const before = Number(await balance())
    const funding = await requested(4)
    const [under, over] = [
      await payer.transfer(funding.paymentRequest.to, 3_999_999n),
      await payer.transfer(funding.paymentRequest.to, 4_000_001n),
    ]
    await mine(service)
    const { body } = await service.http<{ items: { txHash: string; reason: string }[] }>(
      'GET',
      '/admin/x402/transfers?limit=100',
      { token: await service.adminToken() },
    )
    const reasonOf = (hash: string) => body.items.find(({ txHash }) => txHash === hash)?.reason
    assert.deepEqual([reasonOf(under), reasonOf(over)], ['UNDERPAID', 'OVERPAID'])
    assert.equal(Number(await balance()), before)
    const other = 'A transfer of 4.000001 USDC arrived in place of 4.00 USDC: ask the operator to return it'
    for (const expected of ['PENDING', 'EXPIRED']) {
      const { status, failure } = await read(funding)
      assert.deepEqual([status, failure], [expected, other])
      await service.advance(25 * 3600)
    }
    await payer.transfer(funding.paymentRequest.to, 4_000_000n)
    await mine(service)
    assert.deepEqual([await statusOf(funding), Number(await balance())], ['LATE', before + 4])
  })

  test('refuses a wallet in dollars, a card, and too many decimals', async () => {
    const refused = async (body: object, wallet?: string) => {
      const answer = await fund(body, wallet === undefined ? {} : { wallet })
      return [answer.status, answer.body.code]
    }
    assert.deepEqual(await refused({ amount: 1 }, owner.walletId), [400, 'RAIL_UNAVAILABLE'])
    assert.deepEqual(await refused({ amount: 1, paymentMethodId: 'pm_card_visa' }), [
      400,
      'VALIDATION_FAILED',
    ])
    assert.equal((await refused({ amount: '1.0000001' }))[0], 400)
  })

  test('takes 200 requests of an account a day', async () => {
    await service.services.db.pool.query(
      `insert into platform_limit (key, count, resets_at) values ($1, 199, now() + interval '1 hour')
       on conflict (key) do update set count = excluded.count`,
      [`x402-funding:${owner.id}`],
    )
    assert.deepEqual([(await fund({ amount: 1 })).status, (await fund({ amount: 1 })).status], [201, 429])
  })
})
