import assert from 'node:assert/strict'
import { after, afterEach, before, describe, mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY, SECOND } from '#platform/kernel/clock'
import { newId } from '#platform/kernel/id'
import {
  chainNotice,
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
import { ChainAway } from '../chain/port.ts'
import { startX402Payment } from '../index.ts'
import { workOnce } from '../work.ts'

let service: TestService
let owner: Person
let agent: ListedAgent
let payer: Payer
before(async () => {
  service = await sharedChainService()
  owner = await registerHuman(service)
  agent = await publishAgent(service, owner)
  payer = await Payer.open(service, 1000)
})
after(() => service.close())
afterEach(() => mock.restoreAll())

const pathOf = (url: string): string => new URL(url).pathname
const request = (amount: number, more: object = {}) =>
  requestX402(service, owner, { agentId: agent.id, amount, ...more })
const pay = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.http<X402Answer>(method, path, { headers })
const statusOf = async ({ statusUrl }: Pick<X402Answer, 'statusUrl'>): Promise<X402Answer> =>
  (await service.http<X402Answer>('GET', pathOf(statusUrl))).body
const usdcOf = async (agentId: string): Promise<{ id: string; available: string } | undefined> => {
  const { body } = await service.http<{ wallets: { id: string; currency: string; available: string }[] }>(
    'GET',
    `/wallets/agent/${agentId}`,
    { token: owner.token },
  )
  return body.wallets.find(({ currency }) => currency === 'USDC')
}
/** Lets the service repeat what waits, as after its pauses, until a payment has a state. */
async function repeatUntil(requested: X402Answer, wanted: string): Promise<X402Answer> {
  // The service works on the same rows by itself, and a round that meets it does nothing.
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
    await repeat()
    const found = await statusOf(requested)
    if (found.status === wanted) return found
  }
  throw new Error(`the payment does not become ${wanted}`)
}

async function repeat(): Promise<void> {
  await service.services.db.pool.query(
    `update x402_authorization set retry_at = now() where retry_at is not null`,
  )
  await workOnce(service.services)
}

describe('the chain decides', () => {
  test('a plain transfer of the exact amount pays, seen by a signed notification', async () => {
    const requested = await request(1.5)
    const txHash = await payer.transfer(requested.paymentRequest.to, 1_500_000n)
    assert.equal((await chainNotice(service, { txHash }, 'sha256=00')).body.code, 'X402_SIGNATURE_INVALID')
    assert.equal((await chainNotice(service, { txHash })).body.transfers, 1)
    assert.equal((await statusOf(requested)).status, 'CONFIRMED')
    await mine(service)
    const { status, payer: from } = await statusOf(requested)
    assert.deepEqual([status, from], ['FINAL', payer.account.address])
    assert.equal((await chainNotice(service, { txHash })).body.transfers, 1, 'again: nothing new')
    assert.equal((await usdcOf(agent.id))?.available, '1.50')
  })

  test('a transfer pays the request that names its payer, not an older one', async () => {
    const older = await request(1.75)
    const named = await request(1.75, { buyerAddress: payer.account.address })
    await payer.transfer(named.paymentRequest.to, 1_750_000n)
    await mine(service)
    assert.deepEqual([(await statusOf(older)).status, (await statusOf(named)).status], ['PENDING', 'FINAL'])
    await payer.transfer(named.paymentRequest.to, 1_750_000n)
    await mine(service)
    assert.equal((await statusOf(older)).status, 'FINAL')
  })

  test('a transfer after the end counts as LATE', async () => {
    const requested = await request(4.25)
    const before = Number((await usdcOf(agent.id))?.available ?? 0)
    await service.advance(DAY / SECOND + 1)
    const expired = await statusOf(requested)
    assert.deepEqual([expired.status, expired.failure], ['EXPIRED', 'The payment was not made in time'])
    assert.equal((await pay(pathOf(requested.payUrl))).body.code, 'X402_PAYMENT_ENDED')
    await payer.transfer(requested.paymentRequest.to, 4_250_000n)
    await mine(service)
    assert.equal((await statusOf(requested)).status, 'LATE')
    assert.equal(Number((await usdcOf(agent.id))?.available) - before, 4.25)
  })

  test('a replaced block takes a payment back, and the authorization is sent again', async () => {
    const requested = await request(0.9)
    const path = pathOf(requested.payUrl)
    const header = await payer.header(path)
    const plain = await request(0.91)
    let snapshot = await rpc(service, 'evm_snapshot')
    await payer.transfer(plain.paymentRequest.to, 910_000n)
    await chainNotice(service)
    assert.equal((await statusOf(plain)).status, 'CONFIRMED')
    await rpc(service, 'evm_revert', [snapshot])
    await chainNotice(service)
    assert.equal((await statusOf(plain)).status, 'PENDING')
    snapshot = await rpc(service, 'evm_snapshot')
    assert.equal((await pay(path, header)).body.status, 'CONFIRMED')
    await rpc(service, 'evm_revert', [snapshot])
    await chainNotice(service)
    assert.notEqual((await statusOf(requested)).status, 'FINAL')
    await repeatUntil(requested, 'CONFIRMED')
    await mine(service)
    assert.equal((await statusOf(requested)).status, 'FINAL')
    assert.equal((await pay(path, header)).status, 200)
  })

  test('nothing is lost while the node is away or gas is dear', async () => {
    const requested = await request(0.8)
    const path = pathOf(requested.payUrl)
    const [header, second] = [await payer.header(path), await payer.header(path)]
    const chain = await chainOfService(service)
    mock.method(chain, 'head', () => Promise.reject(new ChainAway('connect ECONNREFUSED')))
    assert.deepEqual([(await pay(path, header)).body.code], ['CHAIN_UNAVAILABLE'])
    assert.equal((await chainNotice(service)).status, 503)
    await workOnce(service.services)
    mock.restoreAll()
    mock.method(chain, 'gasPrice', async () => 10n ** 15n)
    const dear = await pay(path, header)
    assert.deepEqual([dear.status, dear.body.code], [503, 'X402_SETTLEMENT_PENDING'])
    assert.equal((await pay(path, second)).body.code, 'X402_PAYMENT_BUSY')
    mock.restoreAll()
    mock.method(chain, 'settle', async () => ({ settled: false, txHash: null, reason: 'connection lost' }))
    await repeatUntil(requested, 'SETTLING')
    mock.restoreAll()
    await repeatUntil(requested, 'CONFIRMED')
    await mine(service)
    assert.equal((await statusOf(requested)).status, 'FINAL')
  })

  test('an authorization that expires unsettled fails its payment', async () => {
    const requested = await request(0.7)
    const priced = await publishAgent(service, owner, { pricing: { model: 'per_call', amount: 0.05 } })
    const [path, call] = [pathOf(requested.payUrl), `/agents/${priced.id}/pay`]
    const [header, callHeader] = [await payer.header(path), await payer.header(call)]
    const chain = await chainOfService(service)
    mock.method(chain, 'settle', () => Promise.reject(new ChainAway('no answer')))
    assert.deepEqual([(await pay(path, header)).status, (await pay(call, callHeader)).status], [503, 503])
    const { number, timestamp } = await chain.head()
    mock.method(chain, 'head', async () => ({ number, timestamp: timestamp + 1000n }))
    const { failure } = await repeatUntil(requested, 'FAILED')
    assert.equal(failure, 'the authorization expired before it was settled')
    const { rows } = await service.services.db.pool.query<{ payload: object }>(
      'select payload from x402_authorization where payment_id = $1',
      [requested.transactionId],
    )
    assert.deepEqual(rows, [{ payload: {} }])
    await repeat()
    for (const method of ['GET', 'POST']) {
      assert.equal((await pay(path, header, method)).body.code, 'X402_PAYMENT_ENDED')
      assert.equal((await pay(call, callHeader, method)).status, 409)
    }
  })

  test('an authorization that is valid for years fails its payment after hours without a transfer', async () => {
    const requested = await request(0.6)
    const path = pathOf(requested.payUrl)
    const header = await payer.header(path)
    const chain = await chainOfService(service)
    mock.method(chain, 'settle', () => Promise.reject(new ChainAway('no answer')))
    assert.equal((await pay(path, header)).status, 503)
    // What earlier versions took.
    const age = (interval: string) =>
      service.services.db.pool.query(
        `update x402_authorization set valid_before = 4102444800, created_at = created_at - $2::interval
         where payment_id = $1`,
        [requested.transactionId, interval],
      )
    await age('5 hours')
    await repeat()
    await age('90 minutes')
    const used = mock.method(chain, 'isUsed', async () => true)
    await repeatUntil(requested, 'SETTLING')
    used.mock.restore()
    const { failure } = await repeatUntil(requested, 'FAILED')
    assert.equal(failure, 'the authorization was not settled in time')
    assert.equal((await pay(path, header)).body.code, 'X402_PAYMENT_ENDED')
  })

  test('an authorization whose nonce was used elsewhere is not tried for years', async () => {
    const requested = await request(0.65)
    const path = pathOf(requested.payUrl)
    const header = await payer.header(path)
    const chain = await chainOfService(service)
    mock.method(chain, 'settle', () => Promise.reject(new ChainAway('no answer')))
    mock.method(chain, 'isUsed', async () => true)
    assert.equal((await pay(path, header)).status, 503)
    await service.services.db.pool.query(
      `update x402_authorization set valid_before = 4102444800, created_at = created_at - interval '6.9 hours'
       where payment_id = $1`,
      [requested.transactionId],
    )
    await repeatUntil(requested, 'SETTLING')
    await service.services.db.pool.query(
      `update x402_authorization set created_at = created_at - interval '0.2 hours' where payment_id = $1`,
      [requested.transactionId],
    )
    const { failure } = await repeatUntil(requested, 'FAILED')
    assert.equal(failure, 'the authorization was not settled in time')
    const { body } = await service.http<{ code: string; hint: string }>('GET', path, { headers: header })
    assert.equal(body.code, 'X402_PAYMENT_ENDED')
    assert.match(body.hint, /^The service no longer sends the authorization/)
  })

  test('a payment for a purpose has an address of its own', async () => {
    const wallet = await service.http<{ id: string }>('POST', '/wallets', {
      token: owner.token,
      body: { currency: 'USDC' },
    })
    const order = {
      id: newId(),
      purpose: 'WALLET_FUNDING' as const,
      reference: wallet.body.id,
      accountId: owner.id,
      amount: 5_000_000n,
      description: 'Wallet',
    }
    const start = () => service.services.db.transaction(tx => startX402Payment(tx, service.services, order))
    const started = await start()
    assert.deepEqual(await start(), started, 'the same id, the same payment')
    const path = pathOf(started.payUrl)
    assert.equal((await pay(path, await payer.header(path))).status, 200)
    await mine(service)
    const { body } = await service.http<{ available: string }>('GET', `/wallets/${wallet.body.id}`, {
      token: owner.token,
    })
    assert.equal(body.available, '5.00')
  })
})
