import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { acceptedDeal, fund, heldDeal, must, openMarket, readDeal, type Person } from '#test'
import { drawn, openConsole } from './support/console.ts'
import { ADMIN } from './support/desk.ts'

/** A slow network, a payment page that somebody leaves, a session that ends elsewhere: nothing is lost and nothing is hidden. */
suite('what comes between in the console', () => {
  const console = openConsole()
  /** Ends the sessions of the account, except the one of the person's token. */
  const endSessions = async ({ token }: Pick<Person, 'token'>): Promise<void> => {
    const { body } = await console.service.http<{ items: { id: string; current: boolean }[] }>(
      'GET',
      '/auth/sessions',
      { token },
    )
    const rest = body.items.filter(({ current }) => !current)
    assert.ok(rest.length > 0, 'there is no session to end')
    for (const { id } of rest) {
      const { status, text } = await console.service.http('DELETE', `/auth/sessions/${id}`, { token })
      assert.ok(status < 300, text)
    }
  }

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

  console.play('a click beside a dialog keeps what was written in it', async visitor => {
    const { page, open, press } = visitor
    const market = await openMarket(console.service)
    const { id } = await heldDeal(market)
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${id}`)
    await press('Open a dispute')
    const reason = page.getByRole('dialog').getByRole('textbox').first()
    await reason.fill('Two chapters are missing')
    await page.mouse.click(8, 400)
    await drawn(page)
    assert.equal(await reason.inputValue(), 'Two chapters are missing')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  console.play('a payment page that was left is reached again, and nothing counts as held', async visitor => {
    const { page, open, press, sees } = visitor
    const market = await openMarket(console.service, { amount: 1 })
    const { id } = await acceptedDeal(market)
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${id}`)
    await page.getByRole('radio', { name: 'Your wallet' }).click()
    await press('Pay $100.00 into escrow')
    await page.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).click()
    await sees('There is not enough money in this wallet')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('radio', { name: 'Card', exact: true }).click()
    await press('Pay $100.00 into escrow')
    await page.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).click()
    await page.waitForURL('**/sandbox/checkout/**')
    await page.goBack()
    await sees('Waiting for your payment')
    assert.equal(await page.getByText('Held in escrow').count(), 0)
    // As in another browser, which remembers nothing.
    await page.evaluate('localStorage.clear()')
    await page.reload()
    await page.getByRole('link', { name: 'Go to the payment page' }).click()
    await page.waitForURL('**/sandbox/checkout/**')
    await page.getByLabel('Card number').fill('1234')
    await press('Pay 100.00 USD')
    // In words for a person, without the names of payment methods.
    await sees('Your card number is incorrect')
    assert.equal(await page.getByText('pm_card').count(), 0)
    await page.getByLabel('Card number').fill('4242 4242 4242 4242')
    await press('Pay 100.00 USD')
    await page.getByRole('link', { name: /^Go back/ }).click()
    await page.waitForURL(`**/app/deals/${id}*`)
    await sees('Held in escrow')
    assert.equal(await page.getByRole('link', { name: 'Go to the payment page' }).count(), 0)
    assert.equal((await readDeal(market, id)).escrow.status, 'HELD')
    await open('/app/deals/01a00000-0000-7000-8000-000000000000')
    await sees('This deal does not exist, or it has expired')
    await page.getByRole('link', { name: 'To your deals' }).waitFor()
  })

  console.play('the Back button brings back what was searched for before', async ({ page, open }) => {
    await open('/app/agents?maxPrice=50')
    const [search, price] = [page.getByLabel('Search agents'), page.getByLabel('Price up to')]
    await search.fill('notes')
    await page.waitForURL(/search=notes/)
    await price.fill('20')
    await page.waitForURL(/maxPrice=20/)
    await page.goBack()
    await page.waitForURL(/maxPrice=50/)
    await drawn(page)
    assert.deepEqual([await search.inputValue(), await price.inputValue()], ['notes', '50'])
    await page.goBack()
    await page.waitForURL(url => !url.searchParams.has('search'))
    await drawn(page)
    assert.equal(await search.inputValue(), '')
  })

  console.play('the Back button brings back the filter of the audit log', async visitor => {
    const { page, open, press } = visitor
    await visitor.signIn(ADMIN)
    await open('/app/admin/audit?action=session.started')
    const action = page.getByLabel('Action', { exact: true })
    await action.fill(' account.created ')
    await press('Filter')
    await page.waitForURL(/action=account\.created$/)
    await page.goBack()
    await page.waitForURL(/action=session\.started$/)
    await drawn(page)
    assert.equal(await action.inputValue(), 'session.started')
  })

  console.play('the Back button and a reload keep what a buyer has written', async visitor => {
    const { page, open, press, sees } = visitor
    const { agent } = await openMarket(console.service)
    await console.newcomer(visitor)
    await open(`/app/agents/${agent.slug}/hire`)
    const need = page.getByLabel('What do you need?')
    await need.fill('Notes for version 2')
    await page.getByLabel('Your offer').fill('20')
    await press('Review')
    await sees('Send the offer')
    await page.goBack()
    assert.equal(await need.inputValue(), 'Notes for version 2')
    await press('Review')
    await sees('Send the offer')
    await press('Back')
    assert.equal(await need.inputValue(), 'Notes for version 2')
    await page.goBack()
    await page.goForward()
    assert.equal(await need.inputValue(), 'Notes for version 2')
    await page.reload()
    assert.equal(await need.inputValue(), 'Notes for version 2')
    assert.equal(await page.getByLabel('Your offer').inputValue(), '20')
    await press('Review')
    await page.getByRole('button', { name: /^Send/ }).click()
    await sees('Notes for version 2')
    await page.waitForURL('**/app/deals/*')
    await open(`/app/agents/${agent.slug}/hire`)
    assert.equal(await need.inputValue(), '')
  })

  console.play('a session that has ended is named, and what was entered can still be sent', async visitor => {
    const { page, context, open, sees } = visitor
    const person = await console.newcomer(visitor)
    await fund(console.service, person, 100)
    await open('/app/wallet')
    await endSessions(person)
    await visitor.press('Add money')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('37')
    await dialog.getByRole('button', { name: 'Add $37.00' }).click()
    await dialog.getByText('Your session has ended').waitFor()
    assert.equal(await page.getByText('Authorization header').count(), 0)
    const link = dialog.getByRole('link', { name: 'Sign in in a new tab' })
    assert.match((await link.getAttribute('href')) ?? '', /^\/login\?next=%2Fapp%2Fwallet$/)
    // Behind the dialog too, for pages whose content waits for the account.
    await page.getByRole('alert').filter({ hasText: 'Your session has ended' }).nth(1).waitFor()
    const other = await context.newPage()
    await visitor.signIn(person)
    await other.goto('/app/account')
    await page.getByRole('main').getByText('Your session has ended').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Add $37.00' }).click()
    await sees('$137.00')
    await other.close()
  })

  console.play('a sign-out of a page with live events leads to the home page', async visitor => {
    const { page, open, press, heading } = visitor
    const market = await openMarket(console.service)
    const { id } = await heldDeal(market)
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${id}`)
    await press('Your account')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/')
    await heading('Hire agents. Pay when the work is done.')
    assert.equal(await page.getByText('Your session has ended').count(), 0)
  })

  console.play('a page of somebody whose session has ended leads to the sign-in and back', async visitor => {
    const { page, heading } = visitor
    const person = await console.newcomer(visitor)
    await endSessions(person)
    await page.goto('/app/wallet')
    await heading('Sign in')
    assert.equal(new URL(page.url()).searchParams.get('next'), '/app/wallet')
  })

  console.play(
    'a German amount is shown in the field as on the page',
    async visitor => {
      const { page, open } = visitor
      const person = await console.newcomer(visitor)
      await fund(console.service, person, 100)
      await open('/app/wallet')
      await page.getByRole('button', { name: 'Guthaben aufladen' }).click()
      const dialog = page.getByRole('dialog')
      const amount = dialog.getByRole('textbox', { name: 'Betrag' })
      const typed = async (text: string): Promise<string> => {
        // The field moves its cursor in a later task, so that what is selected before it would not be cleared.
        await drawn(page)
        await amount.clear()
        await amount.pressSequentially(text)
        return amount.inputValue()
      }
      assert.equal(await typed('1250'), '1.250')
      assert.equal(await typed('1.250,00'), '1.250,00')
      await dialog.getByRole('button', { name: '1.250,00\u{a0}$ aufladen' }).waitFor()
      assert.equal(await typed('12,50'), '12,50')
      assert.equal(await typed('12.5'), '12,5')
      await dialog.getByRole('button', { name: '12,50\u{a0}$ aufladen' }).click()
      await page.getByText('112,50\u{a0}$').first().waitFor()
    },
    { locale: 'de-DE' },
  )
})
