import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { KeyTrial, publishAgent, sharedService, type ListedAgent, type TestService } from '#test'
import { McpClient } from '../../../test/support/mcp/client.ts'

interface Dispute {
  openedBy: string
  reason: string
  asks: string
  sellerBps: number | null
  evidence: unknown
  criteria: string[]
  answer: string | null
  endedAt: string | null
  outcome: string | null
}
interface Escrow {
  id: string
  status: string
  deliveryStatus: string
  held: string
  changeRequest: { reason: string; criteria: string[] } | null
  dispute: Dispute | null
  allowedActions: string[]
}
interface Deal {
  id: string
  status: string
  escrow: Escrow | null
  allowedActions: string[]
}

suite('changes and disputes over MCP', () => {
  let service: TestService
  let trial: KeyTrial
  let agent: ListedAgent
  let buyer: McpClient
  let seller: McpClient
  /** The agent of the seller with its own key. */
  let worker: McpClient
  before(async () => {
    service = await sharedService()
    trial = await KeyTrial.open(service)
    agent = await publishAgent(service, trial.owner, { pricing: { model: 'fixed', amount: 25 } })
    const { baseUrl } = service
    buyer = await McpClient.overHttp(baseUrl, { key: await trial.keyFor({}, trial.buyer) })
    seller = await McpClient.overHttp(baseUrl, { key: await trial.keyFor({}, trial.owner) })
    worker = await McpClient.overHttp(baseUrl, { key: agent.apiKey })
  })
  after(() => service.close())

  const hire = async () => (await buyer.use<Deal>('hire_agent', { agent: agent.slug, task: 'Write' })).id

  test('the buyer requests changes, and the seller delivers again', async () => {
    const criterion = { key: 'tone', kind: 'rubric', text: 'Readers without context follow it' }
    const { id: dealId } = await buyer.use<Deal>('open_negotiation', {
      agent: agent.slug,
      service: 'Release notes',
      budget: 30,
      requirements: { acceptance: [criterion] },
    })
    await worker.use('respond_to_negotiation', { dealId, action: 'accept' })
    const early = await buyer.refusal('request_changes', { dealId, reason: 'More' })
    assert.deepEqual(
      [early.code, early.hint],
      ['INVALID_ARGUMENTS', 'The deal is not paid: its buyer pays with pay_deal'],
    )
    await buyer.use('pay_deal', { dealId })
    await worker.use('deliver_work', { dealId, result: 'first' })
    const changed = await buyer.use<Escrow>('request_changes', {
      dealId,
      reason: 'Too short',
      criteria: ['tone'],
    })
    assert.deepEqual([changed.status, changed.deliveryStatus], ['HELD', 'SUPERSEDED'])
    const asked = await worker.use<Deal>('get_deal', { dealId })
    assert.partialDeepStrictEqual(asked, {
      status: 'IN_PROGRESS',
      escrow: { changeRequest: { reason: 'Too short', criteria: ['tone'] } },
    })
    await worker.use('deliver_work', { dealId, result: 'second' })
    assert.equal((await buyer.use('get_delivery', { dealId })).result, 'second')
    assert.equal((await buyer.use('release_payment', { dealId })).status, 'RELEASED')
  })

  test('the buyer opens a dispute, the seller responds, and the buyer withdraws it', async () => {
    const dealId = await hire()
    await worker.use('deliver_work', { dealId, result: 'done' })
    const opened = await buyer.use<Escrow>('open_dispute', {
      dealId,
      reason: 'Of another version',
      asks: 'SPLIT',
      sellerBps: 2500,
      evidence: { expected: 2, found: 1 },
    })
    assert.equal(opened.status, 'DISPUTED')
    const { escrow, allowedActions } = await seller.use<Deal>('get_deal', { dealId })
    assert.ok(allowedActions.includes('answer'))
    assert.partialDeepStrictEqual(escrow?.dispute, {
      openedBy: 'buyer',
      reason: 'Of another version',
      asks: 'SPLIT',
      sellerBps: 2500,
      evidence: { expected: 2, found: 1 },
      answer: null,
    })
    const statement = 'It is the version that was agreed'
    const answered = await seller.use<Escrow>('respond_to_dispute', { dealId, statement })
    assert.equal(answered.dispute?.answer, statement)
    assert.equal((await seller.refusal('withdraw_dispute', { dealId })).statusCode, 403)
    const withdrawn = await buyer.use<Escrow>('withdraw_dispute', { dealId })
    assert.deepEqual([withdrawn.status, withdrawn.held], ['HELD', '25.00'])
    assert.equal((await buyer.refusal('withdraw_dispute', { dealId })).statusCode, 409)
    assert.equal((await buyer.use('release_payment', { dealId })).status, 'RELEASED')
  })

  test('the seller opens a dispute, and its agent key cannot', async () => {
    const dealId = await hire()
    const input = { dealId, reason: 'The buyer does not answer' }
    for (const [tool, more] of [
      ['open_dispute', { reason: 'Wrong' }],
      ['respond_to_dispute', { statement: 'Right' }],
      ['withdraw_dispute', {}],
      ['request_changes', { reason: 'More' }],
    ] as const)
      assert.equal((await worker.refusal(tool, { dealId, ...more })).code, 'INVALID_AUTH_TYPE', tool)
    const { dispute } = await seller.use<Escrow>('open_dispute', input)
    assert.equal(dispute?.openedBy, 'seller')
    const answered = await buyer.use<Escrow>('respond_to_dispute', { dealId, statement: 'I do' })
    assert.equal(answered.dispute?.answer, 'I do')
  })
})
