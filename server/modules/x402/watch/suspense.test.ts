import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import {
  chainNotice,
  registerAdmin,
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
import { workOnce } from '../work.ts'

const CUSTODY = accounts.custody('eip155:84532', 'USDC')

interface Item {
  id: string
  paymentId: string | null
  reason: string
  amount: string
  txHash: string
  payer: string
  posted: boolean
  resolution: string | null
}

let service: TestService
let owner: Person
let second: Person
let agent: ListedAgent
let payer: Payer
let admin: string
before(async () => {
  service = await sharedChainService()
  owner = await registerHuman(service)
  second = await registerAdmin(service)
  agent = await publishAgent(service, owner)
  payer = await Payer.open(service, 1000)
  admin = await service.adminToken()
})
after(() => service.close())

const request = (amount: number, more: object = {}) =>
  requestX402(service, owner, { agentId: agent.id, amount, ...more })
const statusOf = async ({ statusUrl }: X402Answer): Promise<X402Answer> =>
  (await service.http<X402Answer>('GET', new URL(statusUrl).pathname)).body
const listed = async (query = 'limit=100'): Promise<Item[]> =>
  (await service.http<{ items: Item[] }>('GET', `/admin/x402/transfers?${query}`, { token: admin })).body
    .items
const itemOf = async (txHash: string): Promise<Item> => {
  const item = (await listed()).find(each => each.txHash === txHash)
  assert.ok(item)
  return item
}
const exit = (id: string, how: 'assign' | 'return', body: object = {}) =>
  service.http<{ item: Item; code: string; approval?: { id: string; kind: string } }>(
    'POST',
    `/admin/x402/transfers/${id}/${how}`,
    {
      token: admin,
      body: { reason: 'test', ...body },
    },
  )

/** Sent by the first round; its receipt is read by the second, when it has its confirmations. */
async function untilReturned(txHash: string): Promise<void> {
  for (let round = 0; round < 20 && (await itemOf(txHash)).resolution !== 'RETURNED'; round++) {
    await service.services.db.pool.query(
      `update x402_sending set retry_at = now() - interval '1 s' where retry_at is not null`,
    )
    await workOnce(service.services)
    await rpc(service, 'anvil_mine', ['0x1'])
  }
  assert.equal((await itemOf(txHash)).resolution, 'RETURNED')
}

describe('a transfer that pays nothing', () => {
  test('has another amount or token, or is a second one', async () => {
    const requested = await request(2)
    const { to } = requested.paymentRequest
    const transfers = {
      UNDERPAID: await payer.transfer(to, 1_999_999n),
      OVERPAID: await payer.transfer(to, 2_000_001n),
    }
    await mine(service)
    for (const [reason, txHash] of Object.entries(transfers)) {
      const item = await itemOf(txHash)
      assert.deepEqual([item.reason, item.paymentId, item.posted], [reason, requested.transactionId, true])
    }
    assert.equal((await statusOf(requested)).status, 'PENDING')
    await payer.transfer(to, 2_000_000n)
    const twice = await payer.transfer(to, 2_000_000n)
    await mine(service)
    assert.deepEqual(
      [(await statusOf(requested)).status, (await itemOf(twice)).reason],
      ['FINAL', 'PAID_TWICE'],
    )
    const wrong = await payer.transfer(to, 2_000_000n, await payer.otherToken())
    assert.equal((await chainNotice(service, { txHash: wrong })).body.transfers, 1)
    await mine(service)
    const item = await itemOf(wrong)
    assert.deepEqual([item.reason, item.posted], ['WRONG_TOKEN', false])
    assert.equal((await exit(item.id, 'return')).body.code, 'CHAIN_TRANSFER_NOT_POSTED')
    const idle = await publishAgent(service, owner)
    const { body } = await service.http<{ x402WalletAddress: `0x${string}` }>('GET', `/agents/${idle.id}`)
    const unasked = await payer.transfer(body.x402WalletAddress, 7n)
    await chainNotice(service, { txHash: unasked })
    await mine(service)
    assert.equal((await itemOf(unasked)).reason, 'UNMATCHED')
  })

  test('goes back also from an address that no payment names', async () => {
    const idle = await publishAgent(service, owner)
    const { body } = await service.http<{ x402WalletAddress: `0x${string}` }>('GET', `/agents/${idle.id}`)
    // More than the other addresses have.
    const txHash = await payer.transfer(body.x402WalletAddress, 500_000_000n)
    await chainNotice(service, { txHash })
    await mine(service)
    const before = await payer.balance()
    assert.equal((await exit((await itemOf(txHash)).id, 'return')).body.item.resolution, 'RETURNING')
    await untilReturned(txHash)
    assert.equal((await payer.balance()) - before, 500_000_000n)
  })

  test('an admin credits a suspended transfer, or sends it back to its payer', async () => {
    const other = await publishAgent(service, owner)
    const requested = await request(3, { agentId: other.id })
    const [credited, returned] = [
      await payer.transfer(requested.paymentRequest.to, 2_500_000n),
      await payer.transfer(requested.paymentRequest.to, 2_600_000n),
    ]
    await mine(service)
    const { db } = service.services
    const [custody, suspense] = [
      await balanceOf(db, CUSTODY, 'USDC'),
      await balanceOf(db, accounts.suspense, 'USDC'),
    ]
    const wallet = await service.http<{ id: string }>('POST', '/wallets', {
      token: owner.token,
      body: { currency: 'USDC' },
    })
    const { id } = await itemOf(credited)
    assert.equal((await exit(id, 'assign', { walletId: owner.walletId })).status, 400, 'a wallet in dollars')
    assert.equal((await exit(id, 'assign', { walletId: wallet.body.id })).body.item.resolution, 'ASSIGNED')
    for (const how of ['return', 'assign'] as const)
      assert.equal((await exit(id, how, { walletId: wallet.body.id })).body.code, 'CHAIN_TRANSFER_SETTLED')
    const before = await payer.balance()
    const back = await itemOf(returned)
    assert.equal((await exit(back.id, 'return')).body.item.resolution, 'RETURNING')
    await untilReturned(returned)
    assert.equal((await payer.balance()) - before, 2_600_000n)
    const moved = (await balanceOf(db, CUSTODY, 'USDC')) - custody
    const left = (await balanceOf(db, accounts.suspense, 'USDC')) - suspense
    assert.deepEqual([moved < 0n ? -moved : moved, left < 0n ? -left : left], [2_600_000n, 5_100_000n])
  })

  test('another admin approves the exit of a large transfer', async () => {
    const rich = await Payer.open(service, 2000)
    const other = await publishAgent(service, owner)
    const requested = await request(3, { agentId: other.id })
    const txHash = await rich.transfer(requested.paymentRequest.to, 1_500_000_000n)
    await mine(service)
    const wallet = await service.http<{ id: string }>('POST', '/wallets', {
      token: owner.token,
      body: { currency: 'USDC' },
    })
    const { id } = await itemOf(txHash)
    const { body } = await exit(id, 'assign', { walletId: wallet.body.id })
    assert.deepEqual([body.item.resolution, body.approval?.kind], [null, 'x402.suspense'])
    const approved = await service.http('POST', `/admin/approvals/${body.approval?.id}/approve`, {
      token: second.token,
      body: {},
    })
    assert.equal(approved.status, 200, approved.text)
    assert.equal((await itemOf(txHash)).resolution, 'ASSIGNED')
  })
})
