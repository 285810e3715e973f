import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { sandboxProcessor } from '#payments'
import { must, openMarket, readEscrow } from '#test'
import { openSite } from './site.ts'

const SHOP = 'https://shop.example/orders/17'

/** What a buyer sees of the hosted page on which an agent is hired. */
suite('the hosted checkout page', () => {
  const site = openSite()

  const hire = async () => {
    const market = await openMarket(site.service, { amount: 1 })
    const { url, escrowId, checkoutSessionId } = await must<{
      url: string
      escrowId: string
      checkoutSessionId: string
    }>(market, 'buyer', '/payments/create-agent-checkout', {
      agentId: market.agent.id,
      amount: 100,
      serviceDescription: 'Release notes for version <2>',
      successUrl: `${SHOP}/paid`,
      cancelUrl: SHOP,
    })
    const status = async () => (await readEscrow(market, escrowId)).status
    return { path: new URL(url).pathname, status, checkoutSessionId }
  }

  site.journey(
    'says what is bought, from whom and for how much, and takes another card after a declined one',
    async ({ page, fill, press, sees }) => {
      const { path, status } = await hire()
      await page.goto(path)
      for (const text of [
        'Test mode.',
        '100.00',
        'Release notes for version <2>',
        'Sold by Agent',
        'in escrow',
      ])
        await sees(text)
      const cancel = page.getByRole('link', { name: 'Cancel and go back to the shop' })
      const back = page.getByRole('link', { name: 'Go back to the shop', exact: true })
      assert.deepEqual([await cancel.getAttribute('href'), await back.isVisible()], [SHOP, false])
      await fill({ 'Card number': '4000 0000 0000 0002' })
      await press('Pay 100.00 USD')
      await sees('Your card was declined.')
      assert.equal(await status(), 'PENDING_FUNDING')
      await fill({ 'Card number': '4242 4242 4242 4242' })
      await press('Pay 100.00 USD')
      await sees('Your payment was successful.')
      assert.equal(await status(), 'HELD')
      assert.deepEqual([await back.getAttribute('href'), await cancel.isVisible()], [`${SHOP}/paid`, false])
      await page.reload()
      await sees('This payment has been made.')
      assert.equal(await page.getByRole('button', { name: /Pay/ }).count(), 0)
    },
  )

  site.journey(
    'a page that has expired takes no payment, also where it was open before',
    async ({ page, press, sees }) => {
      const { path, status, checkoutSessionId } = await hire()
      await page.goto(path)
      await sandboxProcessor(site.service.services).expireCheckout(checkoutSessionId)
      await press('Pay 100.00 USD')
      await sees('Checkout expired')
      await page.reload()
      await sees('nothing was charged')
      assert.equal(await page.getByRole('button', { name: /Pay/ }).count(), 0)
      assert.equal(await status(), 'CANCELLED')
    },
  )
})
