import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  heldDeal,
  mailsSettled,
  mailsTo,
  mailTo,
  must,
  openMarket,
  publishAgent,
  registerHuman,
  sharedService,
  type Market,
  type TestService,
} from '#test'

const DAY_SECONDS = 86_400
const MILESTONES = [
  { key: 'one', amount: 40 },
  { key: 'two', amount: 60 },
]

suite('mails about the end of a dispute', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedService()
    market = await openMarket(service)
  })
  after(() => service.close())

  /** The same buyer, and a seller whose mailbox is empty. */
  const fresh = async (): Promise<Market> => ({
    ...market,
    agent: await publishAgent(service, await registerHuman(service)),
  })
  const dispute = (own: Market, role: 'buyer' | 'seller', escrowId: string) =>
    must(own, role, `/payments/escrow/${escrowId}/dispute`, { reason: 'something is wrong' })
  const mailed = async (to: string, id: string, text: string) => {
    await mailTo(service, to, new RegExp(`${text}[\\s\\S]*${id}`))
  }
  /** The subjects of the mails about a deal that came after its dispute was opened, once no mail waits. */
  const subjects = async (to: string, id: string) => {
    await mailsSettled(service)
    return (await mailsTo(service, to))
      .filter(({ text }) => text.includes(id))
      .map(({ subject }) => subject.replace(/^\S+: /, ''))
      .filter(subject => !/offer|opened|tomorrow|funded|delivery/.test(subject))
  }

  test('say in one mail that a silent seller gets nothing', async () => {
    const own = await fresh()
    const { id, escrowId } = await heldDeal(own)
    await dispute(own, 'buyer', escrowId)
    await service.advance(5 * DAY_SECONDS + 60)
    await mailed(
      own.buyer.email,
      id,
      'The seller did not answer the dispute .*100\\.00 USD .* in your wallet',
    )
    await mailed(
      own.agent.owner.email,
      id,
      'You did not answer the dispute .*100\\.00 USD .*went back to the buyer',
    )
    for (const { email } of [own.buyer, own.agent.owner])
      assert.deepEqual(await subjects(email, id), ['A dispute was resolved'])
  })

  test('say what a silent buyer pays, and that the rest is held', async () => {
    const own = await fresh()
    const { id, escrowId } = await heldDeal(own, { milestones: MILESTONES })
    await must(own, 'seller', '/ap2/deliver', { negotiationId: id, result: 'done', milestoneKey: 'one' })
    await dispute(own, 'seller', escrowId)
    await service.advance(5 * DAY_SECONDS + 60)
    await mailed(
      own.buyer.email,
      id,
      'You did not answer .*40\\.00 USD .*went to the seller\\..* stays in escrow',
    )
    await mailed(own.agent.owner.email, id, 'The buyer did not answer .*You are paid 40\\.00 USD')
    for (const { email } of [own.buyer, own.agent.owner])
      assert.deepEqual(await subjects(email, id), ['A dispute was resolved'])
  })

  test('say that an operator decides where nothing was delivered, and how', async () => {
    const own = await fresh()
    const { id, escrowId } = await heldDeal(own)
    await dispute(own, 'seller', escrowId)
    await service.advance(5 * DAY_SECONDS + 60)
    await mailed(own.buyer.email, id, 'You did not answer the dispute .* An operator decides')
    await mailed(own.agent.owner.email, id, 'The buyer did not answer the dispute .* An operator decides')
    await must(own, 'operator', `/payments/escrow/${escrowId}/resolve`, {
      outcome: 'SPLIT',
      sellerBps: 3000,
      reason: 'a part is usable',
    })
    await mailed(
      own.buyer.email,
      id,
      'An operator decided .*30\\.00 USD .*went to the seller.*70\\.00 USD .*is in',
    )
    await mailed(
      own.agent.owner.email,
      id,
      'An operator decided .*You are paid 30\\.00 USD.*70\\.00 USD .*went',
    )
    for (const { email } of [own.buyer, own.agent.owner])
      assert.deepEqual((await subjects(email, id)).sort(), [
        'A dispute waits for an operator',
        'An operator decided a deal',
      ])
  })

  test('say to the other party that the dispute was withdrawn', async () => {
    const own = await fresh()
    const { id, escrowId } = await heldDeal(own)
    await dispute(own, 'buyer', escrowId)
    await must(own, 'buyer', `/payments/escrow/${escrowId}/dispute/withdraw`, {})
    await mailed(own.agent.owner.email, id, 'The buyer withdrew the dispute')
    assert.deepEqual(await subjects(own.buyer.email, id), [])
  })
})
