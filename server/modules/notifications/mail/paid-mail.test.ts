import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  deliveredDeal,
  mailTo,
  must,
  openMarket,
  publishAgent,
  registerHuman,
  sharedService,
  type Market,
  type TestService,
} from '#test'
import { execute } from '../../../../test/support/people/runs.ts'

suite('mails about money that moved, or did not yet', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedService()
    market = await openMarket(service)
    const body = { runs: { email: true } }
    await service.http('PATCH', '/users/me/notifications', { token: market.buyer.token, body })
  })
  after(() => service.close())

  const fresh = async (): Promise<Market> => ({
    ...market,
    agent: await publishAgent(service, await registerHuman(service), {
      pricing: { model: 'per_call', amount: 10, currency: 'USD' },
    }),
  })
  const revokeKeys = async ({ agent }: Market) => {
    const { status, text } = await service.http('POST', `/agents/${agent.id}/revoke-key`, {
      token: agent.owner.token,
    })
    assert.equal(status, 200, text)
  }
  const report = async ({ agent }: Market, runId: string, body: object) => {
    const path = `/agents/${agent.id}/runs/${runId}/result`
    const { status, text } = await service.http('POST', path, { token: agent.owner.token, body })
    assert.equal(status, 201, text)
  }
  /** The text of the mail about a run to its buyer. */
  const mailAbout = async (runId: string, text: string) =>
    (await mailTo(service, market.buyer.email, new RegExp(`${text}[\\s\\S]*${runId}`))).text

  test('names the part of the price that was released', async () => {
    const own = await fresh()
    const { id, escrowId } = await deliveredDeal(own)
    const about = (to: string, part: string) =>
      mailTo(service, to, new RegExp(`Released: ${part}\\.00 USD[\\s\\S]*${id}`))
    for (const [part, body] of [
      ['40', { escrowId, amount: 40 }],
      ['60', { escrowId }],
    ] as const) {
      await must(own, 'buyer', '/payments/ap2/release', body)
      const seller = await about(own.agent.owner.email, part)
      assert.match(seller.text, /A part of the payment is in your wallet/)
      assert.match(seller.text, /of a price of 100\.00 USD/)
      const buyer = await about(own.buyer.email, part)
      assert.match(buyer.text, /A part of the payment went to the seller/)
    }
  })

  test('says of a run whose escrow is frozen that its money has not moved', async () => {
    const own = await fresh()
    const [good, bad] = [
      await execute(own, own.agent.id, { input: 'a' }),
      await execute(own, own.agent.id, { input: 'b' }),
    ]
    await revokeKeys(own)
    await report(own, good.execution.id, { status: 'SUCCEEDED', output: 'done' })
    await report(own, bad.execution.id, { status: 'FAILED' })
    const succeeded = await mailAbout(good.execution.id, 'The run succeeded')
    assert.match(succeeded, /escrow is frozen: what is held for it stays there/)
    assert.doesNotMatch(succeeded, /is paid/)
    const failed = await mailAbout(bad.execution.id, 'The run failed')
    assert.match(failed, /escrow is frozen: what is held for it stays there/)
    assert.doesNotMatch(failed, /back with you/)
  })

  test('says the same of a run that nobody approved in time', async () => {
    const own = await fresh()
    const { buyer } = own
    const spender = await publishAgent(service, buyer)
    const body = { approvalThreshold: 5 }
    await service.http('PATCH', `/agents/${spender.id}/budget`, { token: buyer.token, body })
    const order = { input: 'text', initiatorAgentId: spender.id, sourceWalletId: buyer.walletId }
    const { execution } = await execute(own, own.agent.id, order)
    await revokeKeys(own)
    await service.advance(73 * 3600)
    const text = await mailAbout(execution.id, 'Nobody approved the run')
    assert.match(text, /Nothing was paid\. Its escrow is frozen/)
    assert.doesNotMatch(text, /back with you/)
  })

  test('says of a run with a frozen escrow where its money went in the end', async () => {
    const own = await fresh()
    const [good, bad, ended] = [
      await execute(own, own.agent.id, { input: 'a' }),
      await execute(own, own.agent.id, { input: 'b' }),
      await execute(own, own.agent.id, { input: 'c' }),
    ]
    await revokeKeys(own)
    await report(own, good.execution.id, { status: 'SUCCEEDED', output: 'done' })
    await report(own, bad.execution.id, { status: 'FAILED' })
    const decision = { outcome: 'SPLIT', sellerBps: 4000, reason: 'half done' }
    await must(own, 'operator', `/payments/escrow/${ended.execution.escrowId}/resolve`, decision)
    await mailAbout(ended.execution.id, 'The agent is paid 4\\.00 USD.* 6\\.00 USD.* back with you')
    await must(own, 'seller', `/agents/${own.agent.id}/keys`, {})
    await service.advance(3660)
    const paid = await mailAbout(good.execution.id, 'The agent is paid 10\\.00 USD')
    assert.doesNotMatch(paid, /frozen: what is held|back with you/)
    await mailAbout(bad.execution.id, '10\\.00 USD.* is back with you')
    const { body } = await service.http<{ items: { type: string; data: { runId?: string } }[] }>(
      'GET',
      '/users/me/inbox?limit=100',
      { token: market.buyer.token },
    )
    for (const { execution } of [good, bad, ended])
      assert.equal(
        body.items.filter(({ type, data }) => type === 'run.settled' && data.runId === execution.id).length,
        1,
      )
  })
})
