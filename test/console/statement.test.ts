import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { acceptedDeal, must, openMarket } from '#test'
import { openConsole } from './support/console.ts'

suite('the statement of a wallet', () => {
  const console = openConsole()

  console.play('a deal that was paid by card adds money and pays into escrow', async visitor => {
    const { page, signIn, open } = visitor
    const market = await openMarket(console.service)
    const { id } = await acceptedDeal(market)
    const payment = { negotiationId: id, rail: 'card', paymentMethodId: 'pm_card_visa' }
    await must(market, 'buyer', '/payments/ap2/initiate', payment)
    await signIn(market.buyer)
    await open('/app/wallet')
    const rowOf = (amount: string) => page.getByRole('row').filter({ hasText: amount }).first()
    assert.match(await rowOf('−$100.00').innerText(), /Payment into escrow/)
    assert.match(await rowOf('+$100.00').innerText(), /Money added/)
  })
})
