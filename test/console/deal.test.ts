import assert from 'node:assert/strict'
import { suite } from 'node:test'
import {
  acceptedDeal,
  as,
  heldDeal,
  must,
  negotiate,
  openMarket,
  readDeal,
  registerHuman,
  reservedDeal,
  type Market,
  type Visitor,
} from '#test'
import { openConsole } from './support/console.ts'
import { handsOf, WAYS } from './support/hands.ts'
import { dealIn, deliverByKey, listWriter, SERVICE } from './support/deal-story.ts'

/** The lines of the timeline, the newest first. */
async function showsTimeline({ page }: Visitor, lines: string[]): Promise<void> {
  await page.getByText(lines[0] ?? '', { exact: true }).waitFor()
  assert.deepEqual(await page.locator('.mantine-Timeline-itemTitle').allInnerTexts(), lines)
}

interface Sold {
  responderAgent: { name: string }
}
const sellerOf = async (market: Market, id: string): Promise<string> =>
  (await must<Sold>(market, 'buyer', `/ap2/negotiations/${id}`)).responderAgent.name

suite('deals in the console', () => {
  const console = openConsole()

  // The one story with animations: the other tests see the pages without them.
  console.play(
    'a deal from search to release, by mouse',
    async visitor => {
      const { page, open, fill, press, sees, heading } = visitor
      const agent = await listWriter(console.service, 'Mouse Notes')
      await console.newcomer(visitor)
      await open('/app/agents')
      await page.getByLabel('Search agents').fill('mouse notes')
      await page.getByRole('link', { name: 'Mouse Notes' }).click()
      await heading('Mouse Notes')
      await page.getByRole('link', { name: 'Hire', exact: true }).click()
      await fill({ 'What do you need?': SERVICE })
      await page.getByLabel('Changes').fill('Faster search')
      await press('Review')
      await press('Pay $25.00 and hire')
      await sees('Mouse Notes is working')
      // Nobody reloads the page: the stream of events brings the delivery.
      await deliverByKey(console.service, agent, dealIn(page.url()))
      await sees('Delivered: check the result')
      await sees('Version 2 is faster.')
      await press('Release payment')
      await press('Continue')
      await press('Release')
      await sees('$25.00 was released to the seller.')
      await page.getByText('How was Mouse Notes?').scrollIntoViewIfNeeded()
      await page.getByRole('radio', { name: '4 stars' }).focus()
      await page.keyboard.press('Space')
      await press('Publish the review')
      await sees('Thank you.')
    },
    { reducedMotion: 'no-preference' },
  )

  console.play('the same deal by keyboard only', async visitor => {
    const { page, open, keyboard, sees, heading } = visitor
    const agent = await listWriter(console.service, 'Keyboard Notes')
    await console.newcomer(visitor)
    await open('/app/agents')
    await keyboard.type('Search agents', 'keyboard notes')
    await sees('1 agent')
    await keyboard.press('Keyboard Notes', 'link')
    await heading('Keyboard Notes')
    await keyboard.press('Hire', 'link')
    await keyboard.type('What do you need?', SERVICE)
    await keyboard.reach(page.getByLabel('Changes'))
    await page.keyboard.type('Faster search')
    await keyboard.press('Review')
    await keyboard.press('Pay $25.00 and hire')
    await sees('Keyboard Notes is working')
    await deliverByKey(console.service, agent, dealIn(page.url()))
    await sees('Delivered: check the result')
    await keyboard.press('Release payment')
    await keyboard.press('Continue')
    await keyboard.press('Release')
    await sees('$25.00 was released to the seller.')
  })

  for (const way of WAYS)
    console.play(`a deal with counter-offers of both sides, by ${way}`, async buyer => {
      const name = `Haggling ${way}`
      const agent = await listWriter(console.service, name)
      await console.newcomer(buyer)
      const { press, type, choose } = handsOf(buyer, way)
      await buyer.open(`/app/agents/${agent.slug}/hire`)
      await type('What do you need?', SERVICE)
      await type('Changes', 'Faster search')
      await choose('Make an offer')
      await type('Your offer', '18')
      await press('Review')
      await press('Send the offer: $18.00')
      await buyer.sees(`Waiting for ${name}`)
      const path = `/app/deals/${dealIn(buyer.page.url())}`
      await console.visit(async seller => {
        const theirs = handsOf(seller, way)
        await seller.signIn(agent.owner)
        await seller.open(path)
        await seller.sees('Your turn: $18.00 is offered')
        await theirs.press('Counter')
        await theirs.type('Your price', '24')
        await theirs.press('Send the counter-offer')
        await buyer.sees('Your turn: $24.00 is offered')
        await press('Counter')
        await type('Your price', '21')
        await press('Send the counter-offer')
        await seller.sees('Your turn: $21.00 is offered')
        await theirs.press('Accept')
        await theirs.press('Accept the price')
        await seller.sees('Agreed: waiting for the payment')
      })
      await buyer.sees('Agreed: pay $21.00 into escrow')
      await press('Pay $21.00 into escrow')
      await press('Pay')
      await buyer.sees(`${name} is working`)
    })

  for (const way of WAYS)
    console.play(`a dispute: opened, answered by the seller, withdrawn, by ${way}`, async buyer => {
      const market = await openMarket(console.service)
      const { id } = await heldDeal(market)
      const { press, type } = handsOf(buyer, way)
      await buyer.signIn(market.buyer)
      await buyer.open(`/app/deals/${id}`)
      await press('Open a dispute')
      await type('What went wrong?', 'Nothing has happened for weeks')
      await press('Open the dispute')
      await buyer.sees('Dispute: waiting for the response')
      await console.visit(async seller => {
        const theirs = handsOf(seller, way)
        await seller.signIn(market.agent.owner)
        await seller.open(`/app/deals/${id}`)
        await theirs.press('Respond to the dispute')
        await theirs.type('Your statement', 'It is done tomorrow')
        await theirs.press('Send the statement')
        await seller.sees('Dispute: an operator of this site decides')
      })
      await buyer.sees('It is done tomorrow')
      await press('Withdraw the dispute')
      await buyer.page.getByRole('dialog').waitFor()
      await press('Withdraw the dispute')
      await buyer.sees('The dispute was withdrawn.')
      assert.equal((await readDeal(market, id)).escrow.status, 'HELD')
    })

  console.play('a seller delivers in the console, and the buyer asks for changes', async seller => {
    const market = await openMarket(console.service)
    const { id } = await heldDeal(market)
    await seller.signIn(market.agent.owner)
    await seller.open(`/app/deals/${id}`)
    await seller.page.getByLabel('Result', { exact: true }).fill('A first version')
    await seller.press('Deliver')
    await seller.sees('Delivered: waiting for the buyer')
    await console.visit(async buyer => {
      await buyer.signIn(market.buyer)
      await buyer.open('/app/deals?search=release')
      await buyer.page.getByRole('link', { name: 'Release notes' }).click()
      await buyer.press('Request changes')
      await buyer.page.getByLabel('What must change?').fill('Please add the breaking changes')
      await buyer.press('Send the request')
      await buyer.sees('makes the changes')
    })
    await seller.sees('Changes are requested: deliver again')
  })

  console.play(
    'each milestone shows what was delivered, and opens its files once it is paid',
    async seller => {
      const market = await openMarket(console.service)
      const { id, escrowId } = await heldDeal(market, {
        milestones: [
          { key: 'draft', title: 'First draft', amount: 60 },
          { key: 'final', title: 'Final text', amount: 40 },
        ],
      })
      await seller.signIn(market.agent.owner)
      await seller.open(`/app/deals/${id}`)
      const deliver = async (name: string) => {
        await seller.page.locator('input[type=file]').setInputFiles({
          name,
          mimeType: 'text/plain',
          buffer: Buffer.from('A text'),
        })
        await seller.press('Deliver')
        await seller.page.getByRole('region', { name: 'Deliveries' }).getByText(name).waitFor()
      }
      await deliver('draft.txt')
      // The form goes on to the next milestone by itself.
      await deliver('final.txt')
      await must(market, 'buyer', '/payments/ap2/release', { escrowId, milestoneKey: 'draft' })
      await console.visit(async buyer => {
        await buyer.signIn(market.buyer)
        await buyer.open(`/app/deals/${id}`)
        await buyer.sees('final.txt')
        await buyer.page.getByRole('link', { name: 'draft.txt' }).waitFor()
        assert.equal(await buyer.page.getByRole('link', { name: 'final.txt' }).count(), 0)
      })
    },
  )

  console.play('the page shows new events after its stream was refused', async visitor => {
    const { page, open, sees } = visitor
    const market = await openMarket(console.service)
    const { id } = await heldDeal(market)
    await visitor.signIn(market.buyer)
    // As when the access token ended together with the stream.
    await page.route('**/users/me/events', route => route.fulfill({ status: 401 }), { times: 1 })
    await Promise.all([
      page.waitForResponse(answer => answer.url().endsWith('/users/me/events') && answer.status() === 200),
      open(`/app/deals/${id}`),
    ])
    await must(market, 'seller', '/ap2/deliver', { negotiationId: id, result: 'A text' })
    await sees('Delivered: check the result')
  })

  console.play('an offer is canceled by the side that made it, and declined by the other', async visitor => {
    const market = await openMarket(console.service)
    const { id } = await negotiate(market)
    for (const [person, shown, hidden] of [
      [market.buyer, 'Cancel the deal', 'Decline'],
      [market.agent.owner, 'Decline', 'Cancel the deal'],
    ] as const) {
      await visitor.signIn(person)
      await visitor.open(`/app/deals/${id}`)
      await visitor.page.getByRole('button', { name: shown }).waitFor()
      assert.equal(await visitor.page.getByRole('button', { name: hidden }).count(), 0)
    }
  })

  console.play('a buyer cancels an accepted deal before it is paid', async buyer => {
    const market = await openMarket(console.service)
    const { id } = await acceptedDeal(market)
    await buyer.signIn(market.buyer)
    await buyer.open(`/app/deals/${id}`)
    await buyer.sees('Agreed: pay $100.00 into escrow')
    await console.visit(async seller => {
      await seller.signIn(market.agent.owner)
      await seller.open(`/app/deals/${id}`)
      await seller.sees('Agreed: waiting for the payment')
      assert.equal(await seller.page.getByRole('button', { name: 'Cancel the deal' }).count(), 0)
      await buyer.press('Cancel the deal')
      await buyer.sees('No money has moved.')
      await buyer.page.getByRole('dialog').getByRole('button', { name: 'Cancel the deal' }).click()
      await buyer.sees('The deal was cancelled before it was paid. No money has moved.')
      await seller.sees('The deal was cancelled before it was paid. No money has moved.')
      await showsTimeline(seller, ['The buyer: deal cancelled', 'You: price accepted', 'The deal was opened'])
    })
    const name = await sellerOf(market, id)
    await showsTimeline(buyer, ['You: deal cancelled', `${name}: price accepted`, 'The deal was opened'])
  })

  console.play('a buyer who has left the payment page pays from a wallet, or cancels', async visitor => {
    const { page, sees, open, press } = visitor
    const market = await openMarket(console.service)
    const [paid, canceled] = [await reservedDeal(market), await reservedDeal(market)]
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${paid.id}`)
    await sees('Waiting for your payment')
    await page.getByRole('link', { name: 'Go to the payment page' }).waitFor()
    await press('Pay in another way')
    await page.getByRole('radio', { checked: true }).waitFor()
    assert.equal(await page.getByRole('radio').count(), 1, 'the wallet alone')
    await press('Pay $100.00 into escrow')
    await page.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).click()
    await sees('is working')
    await open(`/app/deals/${canceled.id}`)
    await press('Cancel the deal')
    await sees('No money has moved.')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the deal' }).click()
    await sees('The deal was cancelled before it was paid. No money has moved.')
    const agreed = [`${await sellerOf(market, paid.id)}: price accepted`, 'The deal was opened']
    const given = ['You: payment not made', 'You: payment begun']
    await showsTimeline(visitor, ['You: deal cancelled', ...given, ...agreed])
    await open(`/app/deals/${paid.id}`)
    await sees('is working')
    await showsTimeline(visitor, ['The payment is held in escrow', ...given, ...agreed])
  })

  console.play('a person of no side reads nothing', async visitor => {
    const market = await openMarket(console.service)
    const { id } = await heldDeal(market)
    await visitor.signIn(await registerHuman(console.service))
    await visitor.open(`/app/deals/${id}`)
    await visitor.sees('You are not allowed to do this')
    assert.equal((await as(market, 'outsider', `/ap2/negotiations/${id}`)).status, 403)
  })
})
