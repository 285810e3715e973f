import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import {
  chainNotice,
  chainOfService,
  mine,
  Payer,
  publishAgent,
  registerHuman,
  sharedChainService,
  type ListedAgent,
  type Person,
  type TestService,
  type X402Answer,
} from '#test'
import { depositKey } from '../chain/keys.ts'
import type { Hex } from '../chain/port.ts'
import { startX402Payment, type X402Instructions } from '../index.ts'

const HINT = /choose an address outside of this service/

let service: TestService
let victim: Person
let other: Person
let payer: Payer
let admin: string
before(async () => {
  service = await sharedChainService()
  victim = await registerHuman(service)
  other = await registerHuman(service)
  payer = await Payer.open(service, 100)
  admin = await service.adminToken()
})
after(() => service.close())

const query = (text: string, values: unknown[]) => service.services.db.pool.query(text, values)
const addressOf = async ({ id }: ListedAgent): Promise<Hex> =>
  (await service.http<{ x402WalletAddress: Hex }>('GET', `/agents/${id}`)).body.x402WalletAddress
const initiate = (agent: ListedAgent, amount: number, more: object = {}) =>
  service.http<X402Answer>('POST', '/payments/x402/initiate', {
    token: victim.token,
    body: { agentId: agent.id, amount, ...more },
  })
const request = async (agent: ListedAgent, amount: number, more: object = {}): Promise<X402Answer> => {
  const { status, body, text } = await initiate(agent, amount, more)
  assert.equal(status, 200, text)
  return body
}
const statusOf = async ({ statusUrl }: X402Answer): Promise<string> =>
  (await service.http<X402Answer>('GET', new URL(statusUrl).pathname)).body.status
const reasonOf = async (txHash: string): Promise<string | undefined> => {
  const { body } = await service.http<{ items: { txHash: string; reason: string }[] }>(
    'GET',
    '/admin/x402/transfers?limit=100',
    { token: admin },
  )
  return body.items.find(each => each.txHash === txHash)?.reason
}
const usdcOf = async (agent: ListedAgent): Promise<number> => {
  const { body } = await service.http<{ wallets: { currency: string; available: string }[] }>(
    'GET',
    `/wallets/agent/${agent.id}`,
    { token: victim.token },
  )
  return Number(body.wallets.find(({ currency }) => currency === 'USDC')?.available ?? 0)
}
/** A payment to an address of its own, which credits the victim's wallet. */
async function startDeposit(): Promise<X402Instructions> {
  const { body } = await service.http<{ id: string }>('POST', '/wallets', {
    token: victim.token,
    body: { currency: 'USDC' },
  })
  const order = {
    id: newId(),
    purpose: 'WALLET_FUNDING' as const,
    reference: body.id,
    accountId: victim.id,
    amount: 5_000_000n,
    description: 'Wallet',
  }
  return service.services.db.transaction(tx => startX402Payment(tx, service.services, order))
}
/** A request of the other person that names an address of the service, as earlier versions allowed. */
async function requestAt(address: Hex, amount: number): Promise<X402Answer> {
  const own = await Payer.open(service, 0)
  const agent = await publishAgent(service, other, { walletAddress: own.account.address })
  const requested = await request(agent, amount, { buyerAddress: payer.account.address })
  await query('update x402_payment set pay_to = $1 where id = $2', [address, requested.transactionId])
  return requested
}

describe('an address that the service holds', () => {
  test('is refused as an address of somebody else', async () => {
    const managed = await addressOf(await publishAgent(service, victim))
    const { payTo } = await startDeposit()
    const { hotAddress } = await chainOfService(service)
    for (const held of [managed, payTo, hotAddress])
      for (const address of [held, held.toLowerCase()]) {
        const username = `held_${randomBytes(4).toString('hex')}`
        const provided = { walletType: 'own', walletAddress: address }
        const refused = [
          await register({ username, ...provided }),
          await send('/agents', { name: 'Held', walletAddress: address }),
          await send('/wallets', { walletType: 'own', cryptoAddress: address }),
        ]
        for (const { status, body } of refused) {
          assert.deepEqual([status, body.code], [400, 'ADDRESS_INVALID'], address)
          assert.match(body.hint, HINT)
        }
      }
  })

  const register = (body: object) => service.http<X402Answer>('POST', '/auth/register-agent', { body })
  const send = (path: string, body: object) =>
    service.http<X402Answer>('POST', path, { token: other.token, body })

  test('is not paid for an agent that named it before', async () => {
    const managed = await addressOf(await publishAgent(service, victim))
    const own = await Payer.open(service, 0)
    const agent = await publishAgent(service, other, {
      walletAddress: own.account.address,
      pricing: { model: 'per_call', amount: 0.2 },
    })
    await query('update agents_agent set x402_wallet_address = $1 where id = $2', [managed, agent.id])
    const { status, body } = await initiate(agent, 1)
    assert.deepEqual([status, body.code], [400, 'ADDRESS_INVALID'])
    assert.equal((await service.http('GET', `/agents/${agent.id}/pay`)).status, 400)
  })
})

describe('a request of another agent at an address that the service holds', () => {
  test('takes no transfer and hides none', async () => {
    const agent = await publishAgent(service, victim)
    const foreign = await requestAt(await addressOf(agent), 2)
    const paid = await request(agent, 2)
    const { to } = paid.paymentRequest
    await payer.transfer(to, 2_000_000n)
    await mine(service)
    assert.deepEqual([await statusOf(paid), await statusOf(foreign)], ['FINAL', 'PENDING'])
    assert.equal(await usdcOf(agent), 2)
    const twice = await payer.transfer(to, 2_000_000n)
    await chainNotice(service)
    const open = await request(agent, 3)
    const transfers = {
      PAID_TWICE: twice,
      UNDERPAID: await payer.transfer(to, 2_900_000n),
      OVERPAID: await payer.transfer(to, 3_100_000n),
      WRONG_TOKEN: await payer.transfer(to, 2_000_000n, await payer.otherToken()),
    }
    await chainNotice(service, { txHash: transfers.WRONG_TOKEN })
    await payer.transfer(to, 3_000_000n)
    await mine(service)
    assert.equal(await statusOf(open), 'FINAL')
    const unmatched = await payer.transfer(to, 1_700_000n)
    await mine(service)
    for (const [reason, txHash] of Object.entries({ ...transfers, UNMATCHED: unmatched }))
      assert.equal(await reasonOf(txHash), reason)
    assert.equal(await usdcOf(agent), 5)
  })

  test('takes nothing where nobody else was requested to pay', async () => {
    const idle = await addressOf(await publishAgent(service, victim))
    const foreign = await requestAt(idle, 2)
    const txHash = await payer.transfer(idle, 2_000_000n)
    await mine(service)
    await mine(service)
    assert.deepEqual([await statusOf(foreign), await reasonOf(txHash)], ['PENDING', 'UNMATCHED'])
  })

  test('leaves alone what the service collects', async () => {
    const { depositIndex, payTo } = await paidDeposit()
    const chain = await chainOfService(service)
    await requestAt(chain.hotAddress, 5)
    const collection = {
      from: payTo,
      to: chain.hotAddress,
      value: 5_000_000n,
      validAfter: 0n,
      validBefore: (await chain.head()).timestamp + 3600n,
      nonce: `0x${randomBytes(32).toString('hex')}`,
    } as const
    const key = await depositKey(service.services, depositIndex)
    const txHash = await chain.send(collection, await chain.sign(key, collection))
    await mine(service)
    await chainNotice(service, { txHash })
    await mine(service)
    const { rows } = await query('select id from x402_transfer where tx_hash = $1', [txHash])
    assert.deepEqual(rows, [])
  })

  async function paidDeposit(): Promise<{ depositIndex: number; payTo: Hex }> {
    const { paymentId } = await startDeposit()
    const { rows } = await query(
      'select deposit_index as "depositIndex", pay_to as "payTo" from x402_payment where id = $1',
      [paymentId],
    )
    const [row] = rows as { depositIndex: number; payTo: Hex }[]
    assert.ok(row)
    await payer.transfer(row.payTo, 5_000_000n)
    await mine(service)
    return row
  }
})
