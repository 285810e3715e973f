import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { acceptedDeal, mine, openMarket, Payer, sharedChainService } from '#test'
import { openConsole } from './support/console.ts'
import { handsOf, WAYS } from './support/hands.ts'

const AMOUNT = 100_000_000n

suite('USDC in the console', () => {
  const console = openConsole(sharedChainService)

  console.play('is added to a wallet by a transfer to the address that it shows', async visitor => {
    const { page, open, press } = visitor
    const { token } = await console.newcomer(visitor)
    const payer = await Payer.open(console.service, 100)
    await console.service.http('POST', '/wallets', { token, body: { currency: 'USDC' } })
    await open('/app/wallet')
    await page.getByRole('button', { name: 'Add money' }).last().click()
    await press('Add 100.00 USDC')
    const dialog = page.getByRole('dialog', { name: 'Send USDC' })
    await payer.transfer(addressOf(await dialog.getByText(/^0x[0-9a-fA-F]{40}$/).textContent()), AMOUNT)
    await mine(console.service)
    await dialog.getByRole('button', { name: 'Close' }).click()
    // Among the latest transactions, which are those of all wallets.
    await page.getByRole('row', { name: /\+100\.00 USDC/ }).waitFor()
  })

  for (const way of WAYS)
    console.play(
      `pays a deal, which goes on by itself when the transfer is final, by ${way}`,
      async visitor => {
        const { page, sees } = visitor
        const hands = handsOf(visitor, way)
        const market = await openMarket(console.service, { amount: 1 })
        const payer = await Payer.open(console.service, 200)
        const { id } = await acceptedDeal(market, { currency: 'USDC' })
        // A wallet without money is no way to pay.
        const wallet = { token: market.buyer.token, body: { currency: 'USDC' } }
        assert.equal((await console.service.http('POST', '/wallets', wallet)).status, 201)
        await visitor.signIn(market.buyer)
        await visitor.open(`/app/deals/${id}`)
        await page.getByRole('radio', { name: 'USDC', exact: true, checked: true }).waitFor()
        await hands.press('Pay 100.00 USDC into escrow')
        await page.getByRole('dialog').getByText('100.00 USDC').waitFor()
        await hands.confirm('Pay')
        await sees('Transfer exactly 100.00 USDC')
        const address = page.getByText(/^0x[0-9a-fA-F]{40}$/)
        const to = addressOf(await address.textContent())
        await payer.transfer(to, AMOUNT - 1n)
        await mine(console.service)
        await sees('A transfer of another amount has arrived.')
        await payer.transfer(to, AMOUNT)
        await sees('Your transfer has arrived')
        assert.equal(await address.or(page.getByRole('button', { name: 'Pay in another way' })).count(), 0)
        await mine(console.service)
        await sees('is working')
        await visitor.signIn(market.agent.owner)
        await visitor.open(`/app/selling/agents/${market.agent.id}/keys`)
        await hands.press('Revoke all keys')
        await hands.confirm('Revoke all keys')
        await page.getByRole('link', { name: '100.00 USDC' }).waitFor()
      },
    )
})

function addressOf(text: string | null): `0x${string}` {
  if (!text?.startsWith('0x')) throw new Error(`not an address: ${text}`)
  return `0x${text.slice(2)}`
}
