import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import {
  chainOfService,
  mine,
  Payer,
  publishAgent,
  registerHuman,
  sharedChainService,
  type ListedAgent,
  type Payout,
  type Person,
  type TestService,
} from '#test'

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

suite('payouts to an address on the chain', () => {
  let service: TestService
  let owner: Person
  let agent: ListedAgent
  before(async () => {
    service = await sharedChainService()
    owner = await registerHuman(service)
    agent = await publishAgent(service, owner)
    await earn(7)
  })
  after(() => service.close())

  /** The agent is paid in USDC. */
  async function earn(amount: number): Promise<void> {
    const payer = await Payer.open(service, amount)
    const { body } = await service.http<{ payUrl: string }>('POST', '/payments/x402/initiate', {
      token: owner.token,
      body: { agentId: agent.id, amount },
    })
    const { pathname } = new URL(body.payUrl)
    const paid = await service.http('GET', pathname, { headers: await payer.header(pathname) })
    assert.equal(paid.status, 200, paid.text)
    await mine(service)
  }
  const request = (body: object) =>
    service.http<Payout>('POST', '/payouts/request', {
      token: owner.token,
      body: { agentId: agent.id, rail: 'chain', ...body },
    })
  const find = async (id: string): Promise<Payout | undefined> => {
    const { token } = owner
    type List = { items: Payout[] }
    const { body } = await service.http<List>('GET', `/payouts/history/${agent.id}`, { token })
    return body.items.find(payout => payout.id === id)
  }
  /** Adds a block once the transaction is on the chain, which makes it final. */
  async function untilPaid(id: string): Promise<void> {
    for (let tries = 0, seen = ''; seen !== 'PAID'; tries++) {
      seen = (await find(id))?.status ?? ''
      assert.ok(tries < 600, `payout ${id} is ${seen}`)
      if (seen === 'IN_TRANSIT') await mine(service)
      await sleep(50)
    }
  }
  const code = async (answer: Promise<{ status: number; body: Payout }>) => {
    const { status, body } = await answer
    return [status, body.code]
  }
  const onChain = async (address: `0x${string}`) => (await chainOfService(service)).balanceOf(address)
  const setProved = (proved: string) =>
    service.services.db.pool.query(
      `update identity_session set created_at = ${proved}, proved_at = ${proved} where account_id = $1`,
      [owner.id],
    )

  test('leave custody once, with gas as an expense', async () => {
    const { db } = service.services
    const custody = () => balanceOf(db, accounts.custody('eip155:84532', 'USDC'), 'USDC')
    const gas = () => balanceOf(db, accounts.gas, 'USD')
    assert.deepEqual(await code(request({ amount: 2 })), [400, 'WALLET_NOT_CONFIGURED'])
    assert.deepEqual(await code(request({ amount: 2, toAddress: '0x52908' })), [400, 'ADDRESS_INVALID'])
    const badChecksum = ADDRESS.replace('E', 'e')
    assert.deepEqual(await code(request({ amount: 2, toAddress: badChecksum })), [400, 'ADDRESS_INVALID'])
    assert.deepEqual(await code(request({ amount: 9, toAddress: ADDRESS })), [400, 'INSUFFICIENT_BALANCE'])
    const before = { chain: await onChain(ADDRESS), custody: await custody(), gas: await gas() }
    const { status, body, text } = await request({ amount: '2.000001', toAddress: ADDRESS.toLowerCase() })
    assert.equal(status, 201, text)
    assert.deepEqual([body.destination, body.amount], [ADDRESS, '2.000001'])
    await untilPaid(body.id)
    assert.equal((await onChain(ADDRESS)) - before.chain, 2_000_001n)
    assert.equal((await custody()) - before.custody, 2_000_001n)
    assert.ok((await gas()) < before.gas)
    assert.equal(await balanceOf(db, accounts.payout(body.id), 'USDC'), 0n)
  })

  test('go to the saved address; another one needs a fresh proof', async () => {
    await setProved("now() - interval '6 minutes'")
    const saved = await request({ amount: 1 })
    assert.deepEqual([saved.status, saved.body.destination], [201, ADDRESS])
    assert.deepEqual(await code(request({ amount: 1, toAddress: OTHER })), [403, 'STEP_UP_REQUIRED'])
    await setProved('now()')
    const changed = await request({ amount: 1, toAddress: OTHER })
    assert.deepEqual([changed.status, changed.body.destination], [201, OTHER])
    await untilPaid(saved.body.id)
    await untilPaid(changed.body.id)
  })

  test('are refused to an address that this service holds, given or saved', async () => {
    const { services } = service
    const wallet = await service.http<{ id: string; cryptoAddress: string }>('POST', '/wallets', {
      token: owner.token,
      body: { currency: 'USDC' },
    })
    const funding = await service.http<{ paymentRequest: { to: string } }>(
      'POST',
      `/wallets/${wallet.body.id}/fund`,
      { token: owner.token, body: { rail: 'x402', amount: 1 } },
    )
    const { hotAddress } = await chainOfService(service)
    const { body: own } = await service.http<{ x402WalletAddress: string }>('GET', `/agents/${agent.id}`)
    const addresses = [
      wallet.body.cryptoAddress,
      own.x402WalletAddress,
      funding.body.paymentRequest.to,
      hotAddress,
    ]
    const refused = async (path: string, body: object) => {
      const answer = await service.http<Payout & { hint: string }>('POST', path, {
        token: owner.token,
        body: { rail: 'chain', amount: 1, ...body },
      })
      assert.deepEqual([answer.status, answer.body.code], [400, 'ADDRESS_INVALID'], answer.text)
      assert.match(answer.body.hint, /choose an address outside of this service/)
    }
    for (const toAddress of [...addresses, hotAddress.toLowerCase()]) {
      await refused('/payouts/user/request', { toAddress })
      await refused('/payouts/request', { agentId: agent.id, toAddress })
    }
    // What an earlier version saved.
    const save = (address: string) =>
      services.db.pool.query('update payouts_account set address = $1 where owner_id = $2', [
        address,
        agent.id,
      ])
    await save(own.x402WalletAddress)
    await refused('/payouts/request', { agentId: agent.id })
    await save(OTHER)
  })

  test('of an organization count in its budgets until they come back', async () => {
    const { token } = owner
    const ask = async <Body>(method: string, path: string, body?: object) => {
      const answer = await service.http<Body>(method, path, { token, body })
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    const slug = 'chain-works'
    const { id: ownerId } = await ask<Payout>('POST', '/organizations', { slug, name: 'Works' })
    const treasury = { ownerType: 'ORGANIZATION', ownerId, currency: 'USDC' }
    const { id: toWalletId } = await ask<Payout>('POST', '/wallets', treasury)
    type Wallets = { wallets: { id: string; currency: string }[] }
    const { wallets } = await ask<Wallets>('GET', `/wallets/agent/${agent.id}`)
    const from = wallets.find(({ currency }) => currency === 'USDC')?.id ?? ''
    await ask('POST', `/wallets/${from}/transfer`, { toWalletId, amount: 2 })
    const policy = `/organizations/${slug}/policy`
    await ask('PUT', policy, { monthlyLimit: 1 })
    // A payout that waits for an admin can be canceled; another one may have been sent by then.
    const reviewing = await service.instance({ PAYOUT_REVIEW_USD: '0' })
    const payOut = (amount: number) =>
      reviewing.http<Payout>('POST', '/payouts/org/request', {
        token,
        body: { organizationSlug: slug, rail: 'chain', amount, toAddress: ADDRESS },
      })
    assert.deepEqual(await code(payOut(2)), [403, 'ORGANIZATION_BUDGET_EXCEEDED'])
    const { status, body } = await payOut(1)
    const spent = async () => (await ask<{ spentThisPeriod: string }>('GET', policy)).spentThisPeriod
    assert.deepEqual([status, await spent()], [201, '1.00'])
    await ask('POST', `/payouts/${body.id}/cancel`)
    assert.equal(await spent(), '0.00')
    await reviewing.close()
  })

  test('are refused for a bank, and a bank for them', async () => {
    assert.equal((await request({ amount: 1, rail: 'processor', toAddress: ADDRESS })).status, 400)
    assert.deepEqual(await code(request({ amount: 1, rail: 'processor' })), [400, 'WALLET_NOT_CONFIGURED'])
  })
})
