import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { acceptedDeal, must, openMarket, readDeal, reservedDeal } from '#test'
import { openConsole } from './support/console.ts'

suite('a deal in the console whose agent takes no deals', () => {
  const console = openConsole()

  console.play('offers no payment while the seller is suspended, and says why', async visitor => {
    const { page, sees } = visitor
    const market = await openMarket(console.service, { amount: 300 })
    const { id, page: paymentPage } = await reservedDeal(market)
    const change = (action: 'suspend' | 'reinstate') =>
      must(market, 'operator', `/admin/agents/${market.agent.id}/${action}`, { reason: 'test' })
    await visitor.signIn(market.buyer)
    await visitor.open(`/app/deals/${id}`)
    await page.getByRole('link', { name: 'Go to the payment page' }).waitFor()
    await change('suspend')
    await page.reload()
    await sees('is suspended: do not pay')
    assert.equal(await page.getByRole('link', { name: 'Go to the payment page' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Pay in another way' }).count(), 0)
    const paid = await console.service.http('POST', paymentPage, {
      body: { paymentMethodId: 'pm_card_visa' },
    })
    assert.equal(paid.status, 200)
    await page.reload()
    await sees("The seller was suspended: the money is in the buyer's wallet.")
    await sees('so this deal can be neither accepted nor paid')
    assert.equal(await page.getByRole('button', { name: /^Pay \$/ }).count(), 0)
    await visitor.signIn(market.agent.owner)
    await visitor.open(`/app/deals/${id}`)
    await sees('Your agent is suspended')
    await change('reinstate')
    await visitor.signIn(market.buyer)
    await visitor.open(`/app/deals/${id}`)
    await page.getByRole('button', { name: 'Pay $100.00 into escrow' }).waitFor()
    await change('suspend')
    await page.reload()
    await page.getByRole('button', { name: 'Cancel the deal' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the deal' }).click()
    await sees('The deal was cancelled before it was paid.')
    assert.equal((await readDeal(market, id)).status, 'CANCELLED')
  })

  console.play('says to both that a paused agent takes no deals', async visitor => {
    const market = await openMarket(console.service, { amount: 300 })
    const { id } = await acceptedDeal(market)
    const paused = await console.service.http('PATCH', `/agents/${market.agent.id}`, {
      token: market.agent.owner.token,
      body: { status: 'PAUSED' },
    })
    assert.equal(paused.status, 200)
    await visitor.signIn(market.buyer)
    await visitor.open(`/app/deals/${id}`)
    await visitor.sees('takes no deals now')
    assert.equal(await visitor.page.getByRole('button', { name: /^Pay/ }).count(), 0)
    await visitor.signIn(market.agent.owner)
    await visitor.open(`/app/deals/${id}`)
    await visitor.sees('Your agent takes no deals now')
  })
})
