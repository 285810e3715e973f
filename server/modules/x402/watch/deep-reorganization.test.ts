import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  mine,
  Payer,
  publishAgent,
  registerHuman,
  rpc,
  startTestService,
  type TestService,
  type X402Answer,
} from '#test'

interface Report {
  differences: { kind: string; externalId: string | null; note: string; open: boolean }[]
}

let service: TestService
before(async () => {
  service = await startTestService({
    SVC_CHAIN: 'local',
    CHAIN_CONFIRMATIONS: '2',
    X402_WEBHOOK_SECRET: 'a chain webhook secret of this test run',
  })
})
after(() => service.close())

test('blocks replaced after the confirmations: reported, and never booked back or twice', async () => {
  const owner = await registerHuman(service)
  const agent = await publishAgent(service, owner)
  const payer = await Payer.open(service, 10)
  const admin = await service.adminToken()
  const body = { agentId: agent.id, amount: 2 }
  const { token } = owner
  const requested = await service.http<X402Answer>('POST', '/payments/x402/initiate', { token, body })
  const { statusUrl, paymentRequest } = requested.body
  const state = async () => {
    const payment = await service.http<X402Answer>('GET', new URL(statusUrl).pathname)
    const { body } = await service.http<{ wallets: { currency: string; available: string }[] }>(
      'GET',
      `/wallets/agent/${agent.id}`,
      { token },
    )
    return [payment.body.status, body.wallets.find(({ currency }) => currency === 'USDC')?.available]
  }
  const reported = async (txHash: string) => {
    const { body } = await service.http<Report>('POST', '/admin/reconciliation', { token: admin, body: {} })
    return body.differences.filter(({ externalId }) => externalId === txHash)
  }

  const snapshot = await rpc(service, 'evm_snapshot')
  const txHash = await payer.transfer(paymentRequest.to, 2_000_000n)
  await mine(service)
  assert.deepEqual(await state(), ['FINAL', '2.00'])
  assert.deepEqual(await reported(txHash), [])

  await rpc(service, 'evm_revert', [snapshot])
  await mine(service)
  assert.deepEqual(await state(), ['FINAL', '2.00'])
  const [difference] = await reported(txHash)
  assert.deepEqual([difference?.kind, difference?.open], ['MISSING_AT_PROCESSOR', true])
  assert.match(difference?.note ?? '', /The chain does not have it/)

  // The payer's wallet sends it again.
  await payer.transfer(paymentRequest.to, 2_000_000n)
  await mine(service)
  assert.deepEqual(await state(), ['FINAL', '2.00'])
})
