import assert from 'node:assert/strict'
import { suite } from 'node:test'
import type { Page } from 'playwright-core'
import { availableOf, fund, heldDeal, must, negotiate, openMarket, readDeal, registerHuman } from '#test'
import { openConsole } from './support/console.ts'
import { handsOf } from './support/hands.ts'

/** The service does what is asked, and its answer does not arrive. */
const loseAnswers = (page: Page, path: string, times: number) =>
  page.route(
    path,
    async route => {
      const request = route.request()
      const { 'content-length': _, ...headers } = await request.allHeaders()
      const { status } = await fetch(request.url(), { method: 'POST', headers, body: request.postData() })
      assert.equal(status < 300, true, `the request was answered ${status}`)
      await route.abort()
    },
    { times },
  )

/** Other tabs, timers and lost answers change what a dialog was opened for: it sends what it shows, or nothing. */
suite('money moves once in the console, and as it was shown', () => {
  const console = openConsole()

  console.play('a milestone that was paid elsewhere meanwhile releases nothing else', async visitor => {
    const { page, open, press, sees } = visitor
    const market = await openMarket(console.service)
    const { id: negotiationId, escrowId } = await heldDeal(market, {
      milestones: [
        { key: 'draft', title: 'First draft', amount: 60 },
        { key: 'final', title: 'Final text', amount: 40 },
      ],
    })
    for (const milestoneKey of ['draft', 'final'])
      await must(market, 'seller', '/ap2/deliver', { negotiationId, milestoneKey, result: 'A text' })
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${negotiationId}`)
    await press('Release payment')
    await press('Continue')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: '$60.00' }).waitFor()
    const read = page.waitForResponse(answer => answer.url().includes(`/ap2/negotiations/${negotiationId}`))
    await must(market, 'buyer', '/payments/ap2/release', { escrowId, milestoneKey: 'draft' })
    await read
    await page.getByRole('main').getByText('$40.00').first().waitFor()
    await dialog.getByRole('heading', { name: '$60.00' }).waitFor()
    await handsOf(visitor, 'mouse').press('Release')
    await sees('The escrow holds 40.00')
    const { escrow } = await readDeal(market, negotiationId)
    assert.deepEqual([escrow.released, escrow.held], ['60.00', '40.00'])
  })

  console.play('a part whose answer was lost is paid once', async visitor => {
    const { page, open, press } = visitor
    const market = await openMarket(console.service)
    const { id } = await heldDeal(market)
    await must(market, 'seller', '/ap2/deliver', { negotiationId: id, result: 'A text' })
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${id}`)
    await press('Release payment')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('A part').click()
    await dialog.getByRole('textbox').fill('10')
    await press('Continue')
    await loseAnswers(page, '**/payments/ap2/release', 1)
    await press('Release')
    await dialog.getByRole('alert').waitFor()
    await page.getByRole('main').getByText('$90.00').first().waitFor()
    await dialog.getByRole('heading', { name: '$10.00' }).waitFor()
    await press('Release')
    await dialog.waitFor({ state: 'detached' })
    const { escrow } = await readDeal(market, id)
    assert.deepEqual([escrow.released, escrow.held], ['10.00', '90.00'])
  })

  console.play('the offer that is accepted is the one that is shown', async visitor => {
    const { page, open, press } = visitor
    const market = await openMarket(console.service)
    const { id: negotiationId } = await negotiate(market)
    const counter = (role: 'buyer' | 'seller', price: number) =>
      must(market, role, '/ap2/respond', { negotiationId, status: 'COUNTERED', price })
    await counter('seller', 120)
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${negotiationId}`)
    await press('Accept')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: '$120.00' }).waitFor()
    // The page reads only the last of the two.
    const reads = (url: URL) => url.pathname === `/ap2/negotiations/${negotiationId}`
    const replaced = Promise.withResolvers<void>()
    await page.route(reads, async route => {
      await replaced.promise
      await route.continue()
    })
    await counter('buyer', 110)
    await counter('seller', 500)
    replaced.resolve()
    await page.getByRole('main').getByText('$500.00').first().waitFor()
    await dialog.getByRole('heading', { name: '$120.00' }).waitFor()
    await press('Accept the price')
    await dialog.getByRole('alert').waitFor()
    assert.equal((await readDeal(market, negotiationId)).status, 'COUNTERED')
  })

  console.play(
    'a transfer whose answer was lost is sent once, however often it is repeated',
    async visitor => {
      const { page, open, press } = visitor
      const person = await console.newcomer(visitor)
      const other = await registerHuman(console.service)
      await fund(console.service, person, 100)
      await open(`/app/wallet/${person.walletId}`)
      const dialog = page.getByRole('dialog')
      const transfer = async () => {
        await press('Transfer')
        await dialog.getByRole('textbox', { name: /^To/ }).fill(other.walletId)
        await dialog.getByRole('textbox', { name: /^Amount/ }).fill('5')
        await dialog.getByRole('button', { name: 'Continue' }).click()
        await dialog.getByRole('heading', { name: '$5.00' }).waitFor()
      }
      const button = dialog.getByRole('button', { name: 'Send' })
      const send = async (answer: string) => {
        await button.click()
        await dialog.getByRole('alert').filter({ hasText: answer }).waitFor()
      }
      const path = `**/wallets/${person.walletId}/transfer`
      await transfer()
      // The last one first: what is registered last is asked first.
      await page.route(path, route => route.fulfill({ status: 429, json: { code: 'RATE_LIMITED' } }), {
        times: 1,
      })
      await page.route(path, route => route.fulfill({ status: 503, body: 'busy' }), { times: 1 })
      await loseAnswers(page, path, 1)
      await send('cannot be reached')
      await send('busy')
      await send('Too many')
      await button.click()
      await button.waitFor({ state: 'detached' })
      assert.equal(await availableOf(console.service, person), '95.00')
      // The same again, after an answer, is another transfer.
      await transfer()
      await button.click()
      await button.waitFor({ state: 'detached' })
      assert.equal(await availableOf(console.service, person), '90.00')
    },
  )
})
