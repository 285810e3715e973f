import { suite } from 'node:test'
import { acceptedDeal, must, openMarket } from '#test'
import { openConsole } from './support/console.ts'

suite('a refund to the card in the console', () => {
  const console = openConsole()

  console.play('is on the page of the deal, and is no spending', async visitor => {
    const { page, sees } = visitor
    const market = await openMarket(console.service, { amount: 1 })
    const pay = async () => {
      const { id } = await acceptedDeal(market)
      const body = { negotiationId: id, rail: 'card', paymentMethodId: 'pm_card_visa' }
      return { id, ...(await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', body)) }
    }
    const { id, escrowId } = await pay()
    await visitor.signIn(market.buyer)
    await visitor.open('/app/spend')
    await page.getByRole('cell', { name: '$100.00' }).waitFor()
    await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, { to: 'card' })
    await visitor.open(`/app/deals/${id}`)
    await page.getByText(/^(On its way|Returned) to the card$/).waitFor()
    await sees('$100.00 returned to the buyer.')
    await visitor.open('/app/spend')
    await page.getByRole('cell', { name: '$0.00' }).waitFor()
  })
})
