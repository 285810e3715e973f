import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import {
  chainOfService,
  mine,
  Payer,
  publishAgent,
  registerHuman,
  requestX402,
  rpc,
  sharedChainService,
  type ListedAgent,
  type Person,
  type TestService,
  type X402Answer,
} from '#test'

const CUSTODY = accounts.custody('eip155:84532', 'USDC')

let service: TestService
let owner: Person
let agent: ListedAgent
let payer: Payer
before(async () => {
  service = await sharedChainService()
  owner = await registerHuman(service)
  agent = await publishAgent(service, owner)
  payer = await Payer.open(service, 100)
})
after(() => service.close())

const pathOf = (url: string): string => new URL(url).pathname
const request = (amount: number | string = 0.25, more: object = {}) =>
  requestX402(service, owner, { agentId: agent.id, amount, ...more })
const pay = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.http<X402Answer>(method, path, { headers })
const statusOf = async ({ statusUrl }: X402Answer): Promise<X402Answer> =>
  (await service.http<X402Answer>('GET', pathOf(statusUrl))).body
const walletOf = async (currency: string): Promise<{ available: string } | undefined> => {
  const { body } = await service.http<{ wallets: { currency: string; available: string }[] }>(
    'GET',
    `/wallets/agent/${agent.id}`,
    { token: owner.token },
  )
  return body.wallets.find(wallet => wallet.currency === currency)
}
const decoded = (header: string | null): Record<string, unknown> =>
  JSON.parse(Buffer.from(header ?? '', 'base64').toString()) as Record<string, unknown>
const sentByService = async (): Promise<number> => {
  const { hotAddress } = await chainOfService(service)
  return Number(await rpc(service, 'eth_getTransactionCount', [hotAddress, 'latest']))
}

describe('an agent is paid in USDC', () => {
  test('by the stock client: chain and ledger agree to the micro-unit', async () => {
    assert.equal(await walletOf('USDC'), undefined, 'no wallet before the first USDC')
    const { db } = service.services
    const [custody, gas] = [await balanceOf(db, CUSTODY, 'USDC'), await balanceOf(db, accounts.gas, 'USD')]
    const requested = await request(0.25)
    assert.deepEqual(requested.paymentRequest, {
      to: requested.sellerAddress,
      amount: 0.25,
      currency: 'USDC',
      network: 'eip155:84532',
      reference: requested.transactionId,
    })
    const paid = await (await payer.fetch())(requested.payUrl)
    const body = (await paid.json()) as X402Answer
    assert.deepEqual([paid.status, body.status], [200, 'CONFIRMED'])
    const settlement = decoded(paid.headers.get('payment-response'))
    assert.deepEqual(
      [settlement.success, settlement.transaction, String(settlement.payer)],
      [true, body.txHash, payer.account.address.toLowerCase()],
    )
    assert.equal(await walletOf('USDC'), undefined, 'not before it is final')
    await mine(service)
    assert.equal((await statusOf(requested)).status, 'FINAL')
    const chain = await chainOfService(service)
    assert.deepEqual(
      [await payer.balance(), await chain.balanceOf(requested.paymentRequest.to)],
      [99_750_000n, 250_000n],
    )
    assert.equal((await walletOf('USDC'))?.available, '0.25')
    assert.equal((await balanceOf(db, CUSTODY, 'USDC')) - custody, -250_000n)
    assert.ok((await balanceOf(db, accounts.gas, 'USD')) !== gas, 'our gas is an expense')
  })

  test('by clients of protocol version 1, stock and by hand', async () => {
    const requested = await request('0.07')
    const paid = await (await payer.fetch(1))(requested.payUrl, { method: 'POST' })
    assert.equal(paid.status, 200, await paid.text())
    const other = await request(0.08)
    const unpaid = await pay(pathOf(other.payUrl))
    assert.deepEqual(
      [unpaid.status, unpaid.body.x402Version, unpaid.body.accepts[0]?.maxAmountRequired, unpaid.body.code],
      [402, 1, '80000', 'PAYMENT_REQUIRED'],
    )
    const header = await payer.header(pathOf(other.payUrl), { version: 1 })
    const answer = await pay(pathOf(other.payUrl), header, 'POST')
    assert.equal(answer.status, 200, answer.text)
    assert.equal(decoded(answer.headers.get('x-payment-response')).transaction, answer.body.txHash)
    assert.equal(answer.headers.get('payment-response'), null)
  })

  const payloadsOf = async ({ transactionId }: X402Answer) =>
    (
      await service.services.db.pool.query<{ payload: object }>(
        'select payload from x402_authorization where payment_id = $1',
        [transactionId],
      )
    ).rows.map(({ payload }) => payload)

  test('settles one authorization once, sent 20 times in parallel', async () => {
    const [requested, before, sent] = [await request(0.5), await payer.balance(), await sentByService()]
    const path = pathOf(requested.payUrl)
    const header = await payer.header(path)
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(path, header)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(answers.map(({ body }) => body.txHash)).size, 1)
    assert.equal(before - (await payer.balance()), 500_000n)
    assert.equal((await sentByService()) - sent, 1, 'no gas for a second transaction')
    const repeated = await pay(path, header)
    assert.deepEqual(
      [repeated.status, repeated.body.txHash, repeated.headers.get('payment-response')],
      [200, answers[0]?.body.txHash, answers[0]?.headers.get('payment-response')],
      'a lost answer is given again',
    )
    const other = await request(0.5)
    const elsewhere = await pay(pathOf(other.payUrl), header)
    assert.deepEqual([elsewhere.status, elsewhere.body.details.reason], [402, 'authorization_already_used'])
    assert.equal((await pay(path)).body.code, 'X402_PAYMENT_ENDED')
    assert.equal((await pay(path, await payer.header(pathOf(other.payUrl)))).status, 409, 'it is paid')
    assert.equal((await statusOf(other)).status, 'PENDING')
    await mine(service)
    assert.deepEqual(await payloadsOf(requested), [{}], 'what was signed is erased at the end')
    assert.deepEqual((await pay(path, header)).body.txHash, repeated.body.txHash)
  })

  test('of two authorizations for one payment settles one', async () => {
    const requested = await request(0.3)
    const path = pathOf(requested.payUrl)
    const before = await payer.balance()
    const headers = await Promise.all(Array.from({ length: 6 }, () => payer.header(path)))
    const answers = await Promise.all(headers.map(header => pay(path, header)))
    assert.deepEqual(answers.map(({ status }) => String(status)).sort(), [
      '200',
      ...Array.from({ length: 5 }, () => '409'),
    ])
    assert.equal(before - (await payer.balance()), 300_000n)
  })

  test('refuses every payment that does not fit, and charges nothing', async () => {
    const requested = await request(0.4)
    const path = pathOf(requested.payUrl)
    const [before, seconds] = [await payer.balance(), Math.floor(Date.now() / 1000)]
    const thirdParty = `0x${'9'.repeat(40)}`
    const accepted = { scheme: 'exact', network: 'eip155:84532', asset: thirdParty, payTo: thirdParty }
    const wrong = {
      recipient_mismatch: { authorization: { to: thirdParty } },
      authorization_value: { authorization: { value: '399999' } },
      valid_before: { authorization: { validBefore: String(seconds - 1) } },
      authorization_valid_before: { authorization: { validBefore: String(seconds + 1200) } },
      payload_authorization_valid_before: { authorization: { validBefore: '10000000000000000000' } },
      valid_after: { authorization: { validAfter: String(seconds + 60) } },
      invalid_asset: { payload: { accepted } },
      invalid_network: { payload: { accepted: { ...accepted, network: 'eip155:1' } } },
      unsupported_scheme: { payload: { accepted: { ...accepted, scheme: 'upto' } } },
    }
    for (const [reason, how] of Object.entries(wrong)) {
      const answer = await pay(path, await payer.header(path, how))
      assert.equal(answer.status, 402, answer.text)
      assert.match(answer.body.details.reason ?? '', new RegExp(reason))
    }
    const [name, text] = Object.entries(await payer.header(path))[0] ?? ['', '']
    const signed = decoded(text) as { payload: { authorization: object } }
    const tampered = {
      ...signed,
      payload: {
        ...signed.payload,
        authorization: { ...signed.payload.authorization, nonce: `0x${'11'.repeat(32)}` },
      },
    }
    const altered = await pay(path, { [name]: Buffer.from(JSON.stringify(tampered)).toString('base64') })
    assert.deepEqual([altered.status, altered.body.details.reason], [402, 'invalid_exact_evm_signature'])
    const poor = await Payer.open(service, 0)
    const unfunded = await pay(path, await poor.header(path))
    assert.equal(unfunded.status, 402, 'no funds')
    assert.match(unfunded.body.hint ?? '', /the payer must have the amount in USDC/)
    for (const garbage of ['%%%', Buffer.from('{"x402Version":2}').toString('base64')])
      assert.equal((await pay(path, { 'payment-signature': garbage })).body.code, 'X402_HEADER_INVALID')
    assert.equal((await pay(path, { 'payment-signature': '%%%' }, 'POST')).status, 400)
    assert.equal(await payer.balance(), before)
    assert.equal((await statusOf(requested)).status, 'PENDING')
  })

  test('at an address of its own: nothing is posted, the row says what happened', async () => {
    const own = await Payer.open(service, 0)
    const { body: created } = await service.http<{ user: { id: string }; accessToken: string }>(
      'POST',
      '/auth/register-agent',
      {
        body: { username: `own_${Date.now() % 1e9}`, walletType: 'own', walletAddress: own.account.address },
      },
    )
    const listed = await publishAgent(service, { ...owner, id: created.user.id, token: created.accessToken })
    await service.services.db.pool.query(`update agents_agent set x402_wallet_address = $1 where id = $2`, [
      own.account.address,
      listed.id,
    ])
    const requested = await request(0.6, { agentId: listed.id })
    assert.equal(requested.sellerAddress, own.account.address)
    const path = pathOf(requested.payUrl)
    assert.equal((await pay(path, await payer.header(path))).status, 200)
    const custody = await balanceOf(service.services.db, CUSTODY, 'USDC')
    await mine(service)
    assert.equal((await statusOf(requested)).status, 'FINAL')
    assert.equal(await own.balance(), 600_000n)
    assert.equal(await balanceOf(service.services.db, CUSTODY, 'USDC'), custody)
  })
})
