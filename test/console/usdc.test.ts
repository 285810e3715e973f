import { suite } from 'node:test'
import { acceptedDeal, mine, openMarket, Payer, sharedChainService } from '#test'
import { openConsole } from './support/console.ts'
import { handsOf, WAYS } from './support/hands.ts'

const AMOUNT = 100_000_000n

suite('a deal that is paid in USDC', () => {
  const console = openConsole(sharedChainService)

  for (const way of WAYS)
    console.play(`goes on by itself when the transfer is final, by ${way}`, async visitor => {
      const { page, sees } = visitor
      const hands = handsOf(visitor, way)
      const market = await openMarket(console.service, { amount: 1 })
      const payer = await Payer.open(console.service, 100)
      const { id } = await acceptedDeal(market, { currency: 'USDC' })
      await visitor.signIn(market.buyer)
      await visitor.open(`/app/deals/${id}`)
      await page.getByRole('radio', { name: 'USDC', exact: true, checked: true }).waitFor()
      await hands.press('Pay 100.00 USDC into escrow')
      await page.getByRole('dialog').getByText('100.00 USDC').waitFor()
      await hands.confirm('Pay')
      await sees('Transfer exactly 100.00 USDC')
      const address = page.getByText(/^0x[0-9a-fA-F]{40}$/)
      await payer.transfer(addressOf(await address.textContent()), AMOUNT)
      await mine(console.service)
      await sees('is working')
    })
})

function addressOf(text: string | null): `0x${string}` {
  if (!text?.startsWith('0x')) throw new Error(`not an address: ${text}`)
  return `0x${text.slice(2)}`
}
