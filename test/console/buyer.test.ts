import assert from 'node:assert/strict'
import { suite } from 'node:test'
import {
  acceptedDeal,
  fund,
  heldDeal,
  must,
  openMarket,
  publishAgent,
  registerHuman,
  type Person,
} from '#test'
import { drawn, openConsole, type ConsoleVisitor } from './support/console.ts'

/** The browser of the tests stores no downloads: what a page saves is read before. */
const REMEMBER_SAVED = `{
  const create = URL.createObjectURL
  URL.createObjectURL = blob => {
    window.saved = blob.text()
    return create.call(URL, blob)
  }
}`

/** What a buyer does beside the deal itself: money, needs, organizations, ways to pay. */
suite('a buyer in the console', () => {
  const console = openConsole()
  const inDialog = ({ page }: ConsoleVisitor) => ({
    press: (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click(),
    type: (label: string | RegExp, text: string) =>
      page.getByRole('dialog').getByRole('textbox', { name: label }).fill(text),
  })
  const funded = async (visitor: ConsoleVisitor): Promise<Person> => {
    const person = await console.newcomer(visitor)
    await fund(console.service, person, 100)
    return person
  }

  console.play(
    'transfers money after a confirmation, and saves the statement',
    async visitor => {
      const { page, open, press, sees } = visitor
      const dialog = inDialog(visitor)
      const { walletId } = await funded(visitor)
      const other = await registerHuman(console.service)
      await page.addInitScript(REMEMBER_SAVED)
      await open(`/app/wallet/${walletId}`)
      await press('Transfer')
      await dialog.type(/^To/, other.walletId)
      await dialog.type(/^Amount/, '5')
      await dialog.press('Continue')
      await page.getByRole('dialog').getByRole('heading', { name: '$5.00' }).waitFor()
      await dialog.press('Send')
      await sees('−$5.00')
      const [file] = await Promise.all([page.waitForEvent('download'), press('CSV')])
      assert.equal(file.suggestedFilename(), 'statement-usd.csv')
      const text = await page.evaluate<string>('window.saved')
      const [header = '', ...rows] = text.trimEnd().split('\r\n')
      assert.match(header, /^id,time_utc,type,status,direction,amount,currency/)
      assert.deepEqual(
        rows.map(row => row.split(',').slice(2, 7).join(' ')),
        ['transfer COMPLETED OUT 5.00 USD', 'fund COMPLETED IN 100.00 USD'],
      )
    },
    // A new context: the script stays in it.
    { acceptDownloads: true },
  )

  console.play('adds money by test card, and sees what was spent by month', async visitor => {
    const { page, open, press, sees } = visitor
    const market = await openMarket(console.service, { amount: 300 })
    await heldDeal(market, { budget: 120 })
    await visitor.signIn(market.buyer)
    await open(`/app/wallet/${market.buyer.walletId}`)
    await press('Add money')
    const amount = page.getByRole('dialog').getByRole('textbox', { name: 'Amount' })
    for (const [typed, shown] of [
      ['12,50', '12.50'],
      ['1,250.00', '1,250.00'],
    ] as const) {
      // The field moves its cursor in a later task, so that what is selected before it would not be cleared.
      await drawn(page)
      await amount.clear()
      await amount.pressSequentially(typed)
      assert.equal(await amount.inputValue(), shown)
    }
    await inDialog(visitor).press('Add $1,250.00')
    await sees('+$1,250.00')
    await open('/app/spend')
    await page.getByRole('img', { name: 'Spend by month' }).waitFor()
    await sees('$120.00')
  })

  console.play('makes a voucher, which another person redeems', async visitor => {
    const { page, open, sees } = visitor
    const dialog = inDialog(visitor)
    await funded(visitor)
    await open('/app/vouchers')
    await page.getByRole('button', { name: 'Create a voucher' }).first().click()
    await dialog.type(/^Amount/, '10')
    const [response] = await Promise.all([
      page.waitForResponse(answer => answer.request().method() === 'POST'),
      dialog.press('Create for $10.00'),
    ])
    const { code } = (await response.json()) as { code: string }
    await sees('The voucher is ready')
    await console.visit(async friend => {
      await console.newcomer(friend)
      await friend.open('/app/wallet')
      await friend.press('Redeem a voucher')
      await inDialog(friend).type(/^Code/, code)
      await inDialog(friend).press('Redeem a voucher')
      await friend.sees('$10.00 added to your wallet')
    })
  })

  console.play('has an organization: create, invite, accept, change the role, leave', async visitor => {
    const { page, open, sees } = visitor
    const dialog = inDialog(visitor)
    await console.newcomer(visitor)
    const guest = await registerHuman(console.service)
    await open('/app/organizations')
    await page.getByRole('button', { name: 'Create an organization' }).first().click()
    await dialog.type(/^Name/, `Works ${guest.id.slice(-8)}`)
    await dialog.press('Create an organization')
    await sees('Your role: Owner')
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await dialog.type(/^Account id or username/, guest.id)
    await dialog.press('Invite a person')
    await sees('Invited person')
    await console.visit(async member => {
      await member.signIn(guest)
      await member.open('/app/organizations')
      await member.press('Accept')
      await member.page.getByRole('link', { name: /^Works/ }).click()
      await member.sees('Your role: Member')
      await page.reload()
      const row = page.getByRole('row').filter({ has: page.getByText('Member', { exact: true }) })
      await row.getByRole('button', { name: 'Change' }).click()
      await page.getByRole('dialog').getByLabel('Role').first().click()
      await page.getByRole('option', { name: 'Admin' }).click()
      await dialog.press('Save the role')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await member.page.reload()
      await member.sees('Your role: Admin')
      await member.page
        .getByRole('row')
        .filter({ hasText: 'Admin' })
        .getByRole('button', { name: 'Leave' })
        .click()
      await inDialog(member).press('Leave')
      await member.sees('No organization yet')
    })
  })

  console.play('publishes a need, and accepts the offer of an agent', async buyer => {
    const { page, open, fill, press, sees } = buyer
    await console.newcomer(buyer)
    const owner = await registerHuman(console.service)
    const { id: agentId } = await publishAgent(console.service, owner, { name: 'Need Filler' })
    await open('/app/needs/new')
    await page.getByRole('textbox', { name: /^What do you need/ }).fill('Forty pages in German')
    await fill({ Description: 'A manual' })
    await page.getByRole('textbox', { name: /^Budget/ }).fill('120')
    await press('Publish a need')
    await sees('No offers yet')
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const offer = await console.service.http('POST', `/market/needs/${id}/offers`, {
      token: owner.token,
      body: { agentId, price: 110, message: 'Done by a linguist' },
    })
    assert.equal(offer.status, 201, offer.text)
    await page.reload()
    await sees('Done by a linguist')
    await press('Accept')
    await page.getByRole('dialog').getByRole('heading', { name: '$110.00' }).waitFor()
    await inDialog(buyer).press('Accept')
    await sees('Agreed: pay $110.00 into escrow')
  })

  console.play('takes the offer of an agent back', async seller => {
    const { page, open, press, sees } = seller
    const { token } = await registerHuman(console.service)
    const need = await console.service.http<{ id: string }>('POST', '/market/needs', {
      token,
      body: { title: 'Ten pages in Dutch', budget: 40 },
    })
    const owner = await console.newcomer(seller)
    await publishAgent(console.service, owner, { name: 'Dutch Writer' })
    await open(`/app/needs/${need.body.id}`)
    await press('Make an offer')
    await inDialog(seller).press('Offer $40.00')
    await press('Withdraw the offer')
    await inDialog(seller).press('Withdraw the offer')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await sees('Withdrawn')
    assert.equal(await page.getByRole('button', { name: 'Withdraw the offer' }).count(), 0)
  })

  console.play('pays on the page of the card processor, and comes back to the deal', async visitor => {
    const { page, open, fill, press, sees } = visitor
    const market = await openMarket(console.service, { amount: 1 })
    const { id } = await acceptedDeal(market)
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${id}`)
    await page.getByRole('radio', { name: 'Card', exact: true }).check()
    await press('Pay $100.00 into escrow')
    await inDialog(visitor).press('Pay')
    await fill({ 'Card number': '4242 4242 4242 4242' })
    await press('Pay 100.00 USD')
    await page.getByRole('link', { name: 'Go back to the shop', exact: true }).click()
    await page.waitForURL(`**/app/deals/${id}**`)
    await sees('is working')
  })

  console.play('fills in numbers, objects and choices as the agent takes them', async visitor => {
    const { page, open, fill, press, sees } = visitor
    const owner = await registerHuman(console.service)
    const { slug } = await publishAgent(console.service, owner, {
      name: 'Chart Writer',
      pricing: { model: 'fixed', amount: 25, currency: 'USD' },
      inputSchema: {
        type: 'object',
        required: ['years', 'axis'],
        properties: {
          years: { type: 'array', title: 'Years', items: { type: 'integer' } },
          axis: { type: 'object', title: 'Axis' },
          style: { type: 'string', title: 'Style', enum: ['bars', 'lines'] },
        },
      },
    })
    await console.newcomer(visitor)
    await open(`/app/agents/${slug}/hire`)
    await fill({ 'What do you need?': 'A chart' })
    await page.getByLabel('Years').fill('2025\n2026')
    await page.getByLabel('Axis').fill('{ "from": 0 }')
    await page.getByRole('combobox', { name: 'Style' }).click()
    await page.getByRole('option', { name: 'bars' }).click()
    // Chosen again, it is no choice any more.
    await page.getByRole('combobox', { name: 'Style' }).click()
    await page.getByRole('option', { name: 'bars' }).click()
    await press('Review')
    await press('Pay $25.00 and hire')
    await sees('Chart Writer is working')
    await sees('2025, 2026')
    await page.getByRole('row', { name: 'from 0', exact: true }).waitFor()
    assert.equal(await page.getByText('null', { exact: true }).count(), 0)
  })

  console.play('sees the screenshot that the verifier took', async visitor => {
    const market = await openMarket(console.service)
    const { id: negotiationId } = await heldDeal(market)
    await must(market, 'seller', '/ap2/deliver', {
      negotiationId,
      deliverableUrl: `${console.service.baseUrl}/sandbox/pages/ok`,
    })
    await visitor.signIn(market.buyer)
    await visitor.open(`/app/deals/${negotiationId}`)
    await visitor.page.getByRole('img', { name: 'Screenshot of the delivered page' }).waitFor()
  })

  console.play('sees the milestones, and releases the one that is done', async visitor => {
    const { open, press, sees } = visitor
    const market = await openMarket(console.service)
    const { id: negotiationId } = await heldDeal(market, {
      milestones: [
        { key: 'draft', title: 'First draft', amount: 60 },
        { key: 'final', title: 'Final text', amount: 40 },
      ],
      requirements: {
        acceptance: [{ key: 'c1', kind: 'rubric', text: 'No errors', milestoneKey: 'final', weight: 2 }],
      },
    })
    await must(market, 'seller', '/ap2/deliver', { negotiationId, milestoneKey: 'draft', result: 'A draft' })
    await visitor.signIn(market.buyer)
    await open(`/app/deals/${negotiationId}`)
    await sees('No errors (milestone Final text, weight 2)')
    await press('Release payment')
    await inDialog(visitor).press('Continue')
    await visitor.page.getByRole('dialog').getByRole('heading', { name: '$60.00' }).waitFor()
    await inDialog(visitor).press('Release')
    await visitor.page.getByRole('dialog').waitFor({ state: 'detached' })
    const deal = await must(market, 'buyer', `/ap2/negotiations/${negotiationId}`)
    assert.equal(deal.escrow.milestones[0]?.released, '60.00')
  })

  console.play(
    'may ask for the work by tomorrow, in the time zone of the device',
    async visitor => {
      const { page, open, press } = visitor
      const { slug } = await publishAgent(console.service, await console.newcomer(visitor))
      // In Los Angeles it is the evening of November 27.
      await page.clock.setFixedTime('2026-11-28T04:00:00Z')
      await open(`/app/agents/${slug}/hire`)
      await press('Deadline, acceptance criteria, milestones')
      assert.equal(await page.getByLabel('Deliver by').getAttribute('min'), '2026-11-28')
    },
    { timezoneId: 'America/Los_Angeles' },
  )
})
