import assert from 'node:assert/strict'
import { after, afterEach, before, describe, mock, test } from 'node:test'
import { DAY, SECOND } from '#platform/kernel/clock'
import { newId } from '#platform/kernel/id'
import {
  chainOfService,
  mine,
  Payer,
  publishAgent,
  registerHuman,
  rpc,
  sharedChainService,
  type TestService,
  type X402Answer,
} from '#test'
import { ChainAway, Reverted } from '../chain/port.ts'
import { readTransfer, sendUsdc, type SendReport } from '../index.ts'
import { workOnce } from '../work.ts'

let service: TestService
before(async () => {
  service = await sharedChainService()
  const owner = await registerHuman(service)
  const agent = await publishAgent(service, owner)
  // The custody has 20 USDC, all of it at the agent's address.
  const { body } = await service.http<X402Answer>('POST', '/payments/x402/initiate', {
    token: owner.token,
    body: { agentId: agent.id, amount: 20 },
  })
  const payer = await Payer.open(service, 20)
  await payer.transfer(body.paymentRequest.to, 20_000_000n)
  await mine(service)
})
after(() => service.close())
afterEach(() => mock.restoreAll())

const round = async (): Promise<void> => {
  await service.services.db.pool.query(
    `update x402_sending set retry_at = now() - interval '1 s' where retry_at is not null`,
  )
  await workOnce(service.services)
  await rpc(service, 'anvil_mine', ['0x1'])
}
/** The service also works by itself: a round passes by what it holds at the moment. */
async function begun(id: string): Promise<void> {
  for (let rounds = 0; rounds < 20; rounds++) {
    await round()
    if ((await readTransfer(service.services, id))?.state === 'in_transit') return
  }
  throw new Error(`the transfer ${id} is not in transit`)
}
async function ended(id: string): Promise<SendReport> {
  for (let rounds = 0; rounds < 20; rounds++) {
    const report = await readTransfer(service.services, id)
    if (report && (report.state === 'paid' || report.state === 'failed')) return report
    await round()
  }
  throw new Error(`the transfer ${id} does not end`)
}

describe('USDC leaves', () => {
  test('once for each id, from the managed addresses, and reports the cost', async () => {
    const receiver = await Payer.open(service, 0)
    const order = { id: newId(), toAddress: receiver.account.address, amount: 1_250_000n }
    const sent = await Promise.all(Array.from({ length: 8 }, () => sendUsdc(service.services, order)))
    assert.deepEqual(new Set(sent.map(({ state }) => state)), new Set(['pending']))
    await begun(order.id)
    const { state, txHash, gas, custody } = await ended(order.id)
    assert.deepEqual([state, await receiver.balance()], ['paid', 1_250_000n])
    assert.deepEqual([gas?.debit, gas?.asset, custody], ['5020', 'USD', '1030:eip155:84532:USDC'])
    assert.ok(txHash && (gas?.amount ?? 0n) > 0n)
    assert.equal((await sendUsdc(service.services, order)).txHash, txHash)
    await round()
    assert.equal(await receiver.balance(), 1_250_000n)
    assert.equal(await readTransfer(service.services, newId()), null)
  })

  test('once, also where the answer of the node is lost after it was sent', async () => {
    const receiver = await Payer.open(service, 0)
    const chain = await chainOfService(service)
    const send = chain.send.bind(chain)
    mock.method(chain, 'send', async (...args: Parameters<typeof send>) => {
      await send(...args)
      throw new ChainAway('socket hang up')
    })
    const order = { id: newId(), toAddress: receiver.account.address, amount: 500_000n }
    await sendUsdc(service.services, order)
    for (let rounds = 0; rounds < 3; rounds++) await round()
    assert.equal((await ended(order.id)).state, 'paid')
    assert.equal(await receiver.balance(), 500_000n)
  })

  test('not at all where the token refuses it or a day has passed', async () => {
    const receiver = await Payer.open(service, 0)
    const chain = await chainOfService(service)
    const order = () => ({ id: newId(), toAddress: receiver.account.address, amount: 100_000n })
    const [refused, dear] = [order(), order()]
    mock.method(chain, 'send', () => Promise.reject(new Reverted('Blacklistable: account is blacklisted')))
    await sendUsdc(service.services, refused)
    for (let rounds = 0; rounds < 6; rounds++) await round()
    const { number, timestamp } = await chain.head()
    mock.method(chain, 'head', async () => ({ number, timestamp: timestamp + 4000n }))
    assert.deepEqual((await ended(refused.id)).failure, {
      code: 'refused',
      message: 'Blacklistable: account is blacklisted',
    })
    mock.restoreAll()
    mock.method(chain, 'gasPrice', async () => 10n ** 15n)
    await sendUsdc(service.services, dear)
    await round()
    assert.equal(
      (await readTransfer(service.services, dear.id))?.state,
      'pending',
      'it waits for cheaper gas',
    )
    const giveUpAt = new Date(Date.now() - DAY / SECOND)
    await service.services.db.pool.query('update x402_sending set give_up_at = $1 where id = $2', [
      giveUpAt,
      dear.id,
    ])
    assert.equal((await ended(dear.id)).failure?.code, 'expired')
    assert.equal(await receiver.balance(), 0n)
  })
})
