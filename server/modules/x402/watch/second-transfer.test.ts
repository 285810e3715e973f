import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DAY, SECOND } from '#platform/kernel/clock'
import { DatabaseAway, type Db } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import {
  chainNotice,
  chainOfService,
  holdingLocks,
  mine,
  Payer,
  publishAgent,
  registerHuman,
  requestX402,
  sharedChainService,
  type ListedAgent,
  type Person,
  type TestService,
  type X402Answer,
} from '#test'
import { ChainAway, type ChainTransfer } from '../chain/port.ts'
import { finalize } from './finalize.ts'

let service: TestService
let owner: Person
let agent: ListedAgent
let payer: Payer
let admin: string
before(async () => {
  service = await sharedChainService()
  owner = await registerHuman(service)
  agent = await publishAgent(service, owner)
  payer = await Payer.open(service, 100)
  admin = await service.adminToken()
})
after(() => service.close())

const request = (amount: number, more: object = {}) =>
  requestX402(service, owner, { agentId: agent.id, amount, ...more })
const statusOf = async ({ statusUrl }: X402Answer): Promise<string> =>
  (await service.http<X402Answer>('GET', new URL(statusUrl).pathname)).body.status
const suspended = async (txHash: string) => {
  const { body } = await service.http<{
    items: { txHash: string; paymentId: string; reason: string; posted: boolean }[]
  }>('GET', '/admin/x402/transfers?limit=100', { token: admin })
  const item = body.items.find(each => each.txHash === txHash)
  return item && [item.paymentId, item.reason, item.posted]
}
const usdcOf = async (agentId: string): Promise<number> => {
  const { body } = await service.http<{ wallets: { currency: string; available: string }[] }>(
    'GET',
    `/wallets/agent/${agentId}`,
    { token: owner.token },
  )
  return Number(body.wallets.find(({ currency }) => currency === 'USDC')?.available ?? 0)
}
const query = (text: string, values: unknown[]) => service.services.db.pool.query(text, values)

/** A payment that has expired and got two transfers of its amount: the second is recorded before the first is final. */
async function paidTwiceLate(
  amount: number,
  more: object = {},
): Promise<{ requested: X402Answer; first: string; second: string }> {
  const requested = await request(amount, more)
  await service.advance(DAY / SECOND + 1)
  assert.equal(await statusOf(requested), 'EXPIRED')
  const { to } = requested.paymentRequest
  const first = await payer.transfer(to, BigInt(amount * 1e6))
  const second = await payer.transfer(to, BigInt(amount * 1e6))
  assert.equal((await chainNotice(service)).status, 200)
  return { requested, first, second }
}

describe('of two transfers to a payment that has expired', () => {
  test('the first is LATE and the second waits in suspense', async () => {
    const before = await usdcOf(agent.id)
    const { requested, second } = await paidTwiceLate(5)
    await mine(service)
    assert.equal(await statusOf(requested), 'LATE')
    assert.deepEqual(await suspended(second), [requested.transactionId, 'PAID_TWICE', true])
    assert.equal((await usdcOf(agent.id)) - before, 5)
  })

  test('the second is suspended also if it was recorded as the payment', async () => {
    const { requested, second } = await paidTwiceLate(6)
    // What earlier versions recorded.
    await query('update x402_transfer set reason = null where tx_hash = $1', [second])
    await mine(service)
    assert.equal(await statusOf(requested), 'LATE')
    assert.deepEqual(await suspended(second), [requested.transactionId, 'PAID_TWICE', true])
  })

  test("nothing is suspended at the seller's own address", async () => {
    const own = await Payer.open(service, 0)
    const seller = await publishAgent(service, owner, { walletAddress: own.account.address })
    const { requested, first, second } = await paidTwiceLate(4, {
      agentId: seller.id,
      buyerAddress: payer.account.address,
    })
    // As in the test before; this version records the first only.
    await query(
      `insert into x402_transfer (id, status, network, token, tx_hash, log_index, block_number, block_hash, payer, pay_to,
         amount, payment_id, created_at, updated_at)
       select $1, status, network, token, $2, log_index, block_number, block_hash, payer, pay_to, amount, payment_id,
         created_at, updated_at from x402_transfer where tx_hash = $3`,
      [newId(), second, first],
    )
    await mine(service)
    await mine(service)
    assert.equal(await statusOf(requested), 'LATE')
    assert.equal(await suspended(second), undefined)
    const { rows } = await query(
      'select status, journal_id as "journalId" from x402_transfer where tx_hash = $1',
      [second],
    )
    assert.deepEqual(rows, [{ status: 'FINAL', journalId: null }])
  })
})

test('a transfer that cannot be posted does not stop those after it', async () => {
  const other = await publishAgent(service, owner)
  const [stuck, next] = [await request(7, { agentId: other.id }), await request(8)]
  const wallet = 'update x402_payment set wallet_id = $1 where id = $2'
  await query(wallet, ['00000000-0000-7000-8000-000000000000', stuck.transactionId])
  await payer.transfer(stuck.paymentRequest.to, 7_000_000n)
  await payer.transfer(next.paymentRequest.to, 8_000_000n)
  await mine(service)
  assert.deepEqual([await statusOf(stuck), await statusOf(next)], ['CONFIRMED', 'FINAL'])
  const { rows } = await query('select wallet_id as id from agents_agent where id = $1', [other.id])
  await query(wallet, [(rows as { id: string }[])[0]?.id, stuck.transactionId])
  await mine(service)
  assert.equal(await statusOf(stuck), 'FINAL')
  assert.equal(await usdcOf(other.id), 7)
})

test('a transfer waits for no payment to its address that is paid', async () => {
  const paid = await request(9)
  await payer.transfer(paid.paymentRequest.to, 9_000_000n)
  await mine(service)
  const next = await request(8.5)
  await holdingLocks(service, async other => {
    await other.query('select from x402_payment where id = $1 for update', [paid.transactionId])
    await payer.transfer(next.paymentRequest.to, 8_500_000n)
    assert.equal((await chainNotice(service)).status, 200)
    assert.deepEqual([await statusOf(paid), await statusOf(next)], ['FINAL', 'CONFIRMED'])
    await other.commit()
  })
  const second = await payer.transfer(paid.paymentRequest.to, 9_000_000n)
  await mine(service)
  assert.deepEqual(await suspended(second), [paid.transactionId, 'PAID_TWICE', true])
})

test('a lost connection stops the reading, so that it is repeated', async () => {
  const { services } = service
  const chain = await chainOfService(service)
  const transfer = { txHash: `0x${'0'.repeat(64)}`, logIndex: 0, blockNumber: 1n }
  for (const lost of [new ChainAway('no answer'), new DatabaseAway(new Error('no answer'))]) {
    const db = Object.create(services.db, {
      rows: { value: async () => [transfer] },
      transaction: { value: () => Promise.reject(lost) },
    }) as Db
    const finality = { present: [transfer as ChainTransfer], lastBlock: 1n }
    await assert.rejects(finalize({ ...services, db }, chain, finality), lost)
  }
})
