import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { must, negotiate, openMarket } from '#test'
import { openConsole } from './support/console.ts'
import { handsOf, WAYS } from './support/hands.ts'

suite('the inbox in the header', () => {
  const console = openConsole()

  for (const way of WAYS)
    console.play(`counts what is unread, and leads to it, by ${way}`, async visitor => {
      const { page, open, heading } = visitor
      const hands = handsOf(visitor, way)
      const market = await openMarket(console.service)
      const { id: negotiationId } = await negotiate(market)
      await visitor.signIn(market.buyer)
      await open(`/app/deals/${negotiationId}`)
      const bell = page.getByRole('banner').getByRole('link', { name: /^Inbox/ })
      // The offer itself.
      await page.getByRole('link', { name: 'Inbox: 1 notification is not read.' }).waitFor()
      await must(market, 'seller', '/ap2/respond', { negotiationId, status: 'ACCEPTED' })
      // Without a reload: the page of the deal hears of it.
      await page.getByRole('link', { name: 'Inbox: 2 notifications are not read.' }).waitFor()
      await hands.press(bell)
      await heading('Notifications')
      await hands.press('Mark all as read')
      await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
    })

  console.play('is not shown to visitors', async ({ page, open }) => {
    await open('/app/agents')
    assert.equal(await page.getByRole('link', { name: /^Inbox/ }).count(), 0)
  })
})
