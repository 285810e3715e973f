import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { acceptedDeal, heldDeal, must, openMarket, readDeal } from '#test'
import { openConsole } from './support/console.ts'

/** A slow network, a payment page that somebody leaves, a session that ends elsewhere: nothing is lost and nothing is hidden. */
suite('what comes between in the console', () => {
  const console = openConsole()
  console.play('a dialog that moves money stays until its answer has arrived', async visitor => {
    const { page, open, press, sees } = visitor
    const market = await openMarket(console.service)
    const { id } = await heldDeal(market)
    await must(market, 'seller', '/ap2/deliver', { negotiationId: id, result: 'A text' })
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${id}`)
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/payments/ap2/release', async route => {
      await isAnswered
      await route.continue()
    })
    await press('Release payment')
    await press('Continue')
    const asked = page.waitForRequest('**/payments/ap2/release')
    await press('Release')
    await asked
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled(), true)
    await page.keyboard.press('Escape')
    assert.equal(await dialog.isVisible(), true)
    answer()
    await dialog.waitFor({ state: 'detached' })
    await sees('$100.00 was released to the seller.')
  })

  console.play('a payment page that was left is reached again, and nothing counts as held', async visitor => {
    const { page, open, press, sees } = visitor
    const market = await openMarket(console.service)
    const { id } = await acceptedDeal(market)
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${id}`)
    await page.getByRole('radio', { name: 'Card', exact: true }).click()
    await press('Pay $100.00 into escrow')
    await page.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).click()
    await page.waitForURL('**/sandbox/checkout/**')
    await page.goBack()
    await sees('Your payment is on its way')
    assert.equal(await page.getByText('Held in escrow').count(), 0)
    await page.reload()
    await page.getByRole('link', { name: 'Go to the payment page' }).click()
    await page.waitForURL('**/sandbox/checkout/**')
    await page.getByLabel('Card number').fill('4242 4242 4242 4242')
    await press('Pay 100.00 USD')
    await page.getByRole('link', { name: 'Go back', exact: true }).click()
    await page.waitForURL(`**/app/deals/${id}*`)
    await sees('Held in escrow')
    assert.equal(await page.getByRole('link', { name: 'Go to the payment page' }).count(), 0)
    assert.equal((await readDeal(market, id)).escrow.status, 'HELD')
  })
})
