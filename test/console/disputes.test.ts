import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { deliveredDeal, must, openMarket } from '#test'
import { openConsole, type ConsoleVisitor } from './support/console.ts'
import { ADMIN } from './support/desk.ts'

const LONG = 'The offer names each chapter of the manual in its second paragraph. '.repeat(5)
const CHANGES = `${LONG}\nPlease add the chapters 4 and 7`
const REASON = `${LONG}\nTwo chapters are missing`
const STATEMENT = `${LONG}\nChapters 4 and 7 were agreed`

/** The page shows this text in its own lines, and all of them. */
async function readsWhole({ page }: ConsoleVisitor, text: string): Promise<void> {
  await page
    .locator('main p', { hasText: text.split('\n').at(-1) ?? text })
    .first()
    .waitFor()
  const isWhole = await page.evaluate<boolean>(`
    [...document.querySelectorAll('main p')].some(each =>
      each.textContent === ${JSON.stringify(text)} && each.scrollHeight <= each.clientHeight &&
      getComputedStyle(each).whiteSpace === 'pre-wrap')`)
  assert.ok(isWhole, text)
}

suite('what the parties and the operator write about a deal', () => {
  const console = openConsole()

  console.play('the seller reads the whole request for changes', async visitor => {
    const market = await openMarket(console.service)
    const { id, escrowId } = await deliveredDeal(market)
    await must(market, 'buyer', `/payments/escrow/${escrowId}/changes`, { reason: CHANGES })
    await visitor.signIn(market.agent.owner)
    await visitor.open(`/app/deals/${id}`)
    await readsWhole(visitor, CHANGES)
  })

  console.play('the statement of a decision is whole, for a party and for the operator', async visitor => {
    const market = await openMarket(console.service)
    const { id, escrowId } = await deliveredDeal(market)
    const dispute = { reason: REASON, asks: 'SPLIT', sellerBps: 3000 }
    await must(market, 'buyer', `/payments/escrow/${escrowId}/dispute`, dispute)
    await visitor.signIn(market.agent.owner)
    await visitor.open(`/app/deals/${id}`)
    // Both parties read whose share it is.
    await visitor.sees('A part for each (30% for the seller)')
    await visitor.signIn(ADMIN)
    await visitor.open(`/app/admin/escrows/${escrowId}`)
    await readsWhole(visitor, REASON)
    await visitor.page.getByRole('radio', { name: 'Refund everything to the buyer' }).check()
    await visitor.press('Decide')
    await visitor.page.getByLabel('Statement to both parties').fill(STATEMENT)
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Decide' }).click()
    await readsWhole(visitor, STATEMENT)
    // Once, although it ends the escrow and the negotiation.
    const end = visitor.page.locator('main p', { hasText: 'Chapters 4 and 7 were agreed' })
    assert.equal(await end.count(), 1)
    await visitor.signIn(market.buyer)
    await visitor.open(`/app/deals/${id}`)
    await readsWhole(visitor, STATEMENT)
  })
})
