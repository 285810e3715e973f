import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  cardDeal,
  ChargebackTrial,
  heldDeal,
  mailsSettled,
  mailsTo,
  mailTo,
  openDispute,
  openMarket,
  processorIdOf,
  sharedService,
  type Market,
  type TestService,
} from '#test'

suite('mails about a frozen deal', () => {
  let service: TestService
  let trial: ChargebackTrial
  before(async () => {
    service = await sharedService()
    trial = await ChargebackTrial.of(service)
  })
  after(() => service.close())

  /** The subjects of the mails about a deal and its freezes, once no mail waits. */
  async function frozenMails(to: string, dealId: string): Promise<string[]> {
    await mailsSettled(service)
    return (await mailsTo(service, to))
      .filter(({ subject, text }) => subject.includes('frozen') && text.includes(dealId))
      .map(({ subject }) => subject.replace(/^\S+: /, ''))
      .sort()
  }
  const peopleOf = ({ buyer, agent }: Market) => [buyer.email, agent.owner.email]

  test('say to both parties that keys were revoked, and that the deal goes on', async () => {
    const market = await openMarket(service)
    const { id } = await heldDeal(market)
    const { token } = market.agent.owner
    await service.http('POST', `/agents/${market.agent.id}/revoke-key`, { token })
    for (const to of peopleOf(market))
      await mailTo(service, to, new RegExp(`keys of an agent of the deal were revoked[^]*${id}`))
    assert.equal((await service.http('POST', `/agents/${market.agent.id}/keys`, { token })).status, 201)
    for (const to of peopleOf(market)) {
      await mailTo(service, to, new RegExp(`deadlines have the time that was left[^]*${id}`))
      assert.deepEqual(await frozenMails(to, id), ['A deal is frozen', 'A deal is not frozen any more'])
    }
  })

  test('say to the buyer what the seller learns from the mail about the chargeback', async () => {
    const market = await openMarket(service)
    const { id: negotiationId, escrowId } = await cardDeal(market)
    const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, escrowId))
    const [buyer = '', seller = ''] = peopleOf(market)
    await mailTo(service, buyer, new RegExp(`frozen until the bank decides[^]*${negotiationId}`))
    await mailTo(service, seller, /disputes a payment of 100\.00 USD/)
    await trial.win(disputeId)
    await mailTo(service, buyer, new RegExp(`deadlines have the time that was left[^]*${negotiationId}`))
    await mailTo(service, seller, /decided in our favor/)
    assert.equal((await frozenMails(buyer, negotiationId)).length, 2)
    assert.deepEqual(await frozenMails(seller, negotiationId), [])
  })
})
